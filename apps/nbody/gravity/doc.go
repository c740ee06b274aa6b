// Package gravity is what the N-body application computes on one rank, without messages: moments of particles up to
// hexadecapoles, softened forces, keys along Hilbert's curve, octrees, and Barnes-Hut walks over them (ChaNGa: TRAM,
// section VI A). The constant of gravity is 1; lengths, masses and times are in the units that follow from it.
//
// A tree is cut by cells of the curve alone: a cell is divided when it has more particles than a bucket holds. So the
// parts of one tree may be built by whoever has their particles, and together they are the tree that one would have
// built who has them all, bit by bit. A walk looks at cells in the order of the curve, wherever they come from, and
// adds forces up in that order.
package gravity
