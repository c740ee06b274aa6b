package coalesce

// FactorDefault is the coalescing factor, in pebbles a buffer, when nobody asks for another. The paper used 4,096 for
// BFS and Permutation and 1,024 where the benchmark's rules bound it (Active Pebbles, section 5.1).
const FactorDefault = 1024
