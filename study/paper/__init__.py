"""The paper's figures and claims, one file each, the paper's number beside ours."""
