// Package jobs is the list of the jobs that this user runs on this host, for whoever looks for one. Process 0 of a job
// announces it: it writes a file into a folder that no other user can open, with the address of the job's page and its
// token. The file goes with the job. That of a job which could not take it away is found by its process, which is gone.
//
// The folder is pebbles in XDG_RUNTIME_DIR where that is this user's alone, else pebbles/jobs in the user's folder for
// caches. A process is told by its number and by when it began, so that one which has the number by chance is
// no job. Files of other hosts and of other containers, where the folder is shared, are left alone.
package jobs
