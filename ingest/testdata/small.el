# A small directed graph
# Nodes: 6 Edges: 6
# FromNodeId	ToNodeId
0	1
0	1
2 1
2	0

 5  5 
# a comment between edges
5	4
