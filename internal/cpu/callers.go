package cpu

// CallersMost is how many calls [Callers] tells at the most.
const CallersMost = 12
