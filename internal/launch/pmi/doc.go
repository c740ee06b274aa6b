// Package pmi is a client of PMI-1, the process management interface through which hydra (mpiexec of MPICH and its kin)
// and Slurm's srun --mpi=pmi2 give a process its number and let it exchange addresses with the others, without any MPI.
//
// A process inherits a socket, whose descriptor PMI_FD names. It carries lines of words "name=value" that end with a
// newline. Each request has one answer:
//
//	cmd=init pmi_version=1 pmi_subversion=1   cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0
//	cmd=get_maxes                             cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024
//	cmd=get_my_kvsname                        cmd=my_kvsname kvsname=kvs_7
//	cmd=put kvsname=kvs_7 key=a value=b       cmd=put_result rc=0 msg=success
//	cmd=barrier_in                            cmd=barrier_out rc=0, when all processes have asked
//	cmd=get kvsname=kvs_7 key=a               cmd=get_result rc=0 msg=success value=b
//	cmd=finalize                              cmd=finalize_ack
//
// The others can get the value of a put after the next barrier. Readers of the launcher's log may see values: no secret
// belongs there.
//
// Source: P. Balaji et al., "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", EuroMPI
// 2010, sections 2 and 3, and the answers of the two launchers.
package pmi
