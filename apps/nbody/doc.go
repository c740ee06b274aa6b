// Package nbody simulates systems of particles that attract each other (ChaNGa: TRAM, section VI A): Barnes-Hut trees
// with moments up to hexadecapoles, and leapfrog steps, global ones or each particle's own.
//
// Particles are in the order of a space-filling curve, and each rank has a piece of it, whose work in the last step was
// the same as that of others. Ranks build the trees of their pieces; all know the tree's top. A walk that has to open a
// cell of another process asks its owner by a pebble of 16 bytes, which is aggregated with others; the answer, moments
// of the cells below or the particles of a bucket, goes as it is into a cache that the ranks of a process share. Walks
// that need the same wait once, and others go on meanwhile.
//
// # The same answer everywhere
//
// The tree is cut by cells of the curve, whoever has their particles, and a walk that waited goes on where it was. So
// all forces are added up in the same order on any number of ranks, over any network, and with any buffers, by tasks or
// by asks: positions, velocities and numbers of interactions are those of the serial twin to the last bit.
//
// # What verification proves
//
// Handlers count particles, questions and answers with their fingerprints, and whether they are at their owner. All
// particles must be there after each step, and all walks must have ended. Forces on a sample of the particles are
// compared with direct sums. Where a simulation is small, rank 0 runs its serial twin, which must have the same
// particles.
package nbody
