// Items in buckets, one for each rank, on their way: in rounds of MPI_Alltoallv that all ranks take part in, or as
// single messages that nobody waits for.
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "peer.h"

// A handler gets items that came from a rank, in the order in which that rank put them in.
typedef void (*handler)(void *state, int from, const void *items, size_t n);

struct message;

struct exchange {
	char **bucket; // for each rank the items that are being gathered, room for capacity
	size_t *count; // and how many they are

	enum method method;
	size_t bytes;       // of an item
	size_t capacity;    // items a bucket
	MPI_Datatype item;
	handler handle;
	void *state;

	// Rounds.
	int *sent, *sent_at, *came, *came_at;
	char *sending, *inbox;
	size_t inbox_room; // items

	// Single messages.
	MPI_Comm world;
	char **other;        // for each rank the bucket that is being sent
	MPI_Request *leaving;
	struct message *slots; // for each rank a ring of posted receives
	int *oldest;           // for each rank the slot that its next message comes into
	bool *ended;           // for each rank whether its last message of this phase came
};

// exchange_new makes an exchange; all ranks make theirs in the same order. The rank's own bucket is never sent:
// exchange_send hands it to the handler as it is.
struct exchange *exchange_new(enum method method, size_t bytes, size_t capacity, handler handle, void *state);

// exchange_send empties all buckets. In rounds, every rank must call it equally often, and what was sent to this rank
// is handled on return; single messages are handled when they come.
void exchange_send(struct exchange *x);

// exchange_send_to empties one bucket into a single message. It handles what comes while it waits for room.
void exchange_send_to(struct exchange *x, int to);

// exchange_end empties all buckets for the last time in a phase. On return all that was sent to this rank in it is
// handled.
void exchange_end(struct exchange *x);

void exchange_free(struct exchange *x);

#endif
