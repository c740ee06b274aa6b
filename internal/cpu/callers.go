package cpu

// CallersMost is the largest number of calls of [Callers].
const CallersMost = 12
