"""From what a user calls a graph to dissimilarities between its nodes.

read → judge → parts → a measure (paths or resistances), whose rows are found when asked.
"""
