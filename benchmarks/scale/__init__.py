"""What relations beyond one matrix in memory cost: ratios and growth."""
