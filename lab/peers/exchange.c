#include "exchange.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Receives posted for each rank: messages that find one are not copied twice.
enum { POSTED = 4 };

enum { MORE, LAST }; // tags

struct message {
	MPI_Request request;
	char *items;
};

static void new_rounds(struct exchange *x) {
	x->sent = peer_new(peer_ranks, sizeof *x->sent);
	x->sent_at = peer_new(peer_ranks, sizeof *x->sent_at);
	x->came = peer_new(peer_ranks, sizeof *x->came);
	x->came_at = peer_new(peer_ranks, sizeof *x->came_at);
	// Buckets stand in one row, from which MPI_Alltoallv takes them.
	if (x->capacity > (size_t)INT_MAX / peer_ranks)
		peer_fail("buckets of %zu items for %d ranks are too large for MPI_Alltoallv: give less data", x->capacity,
			peer_ranks);
	x->sending = peer_new(peer_ranks * x->capacity, x->bytes);
	for (int to = 0; to < peer_ranks; to++) {
		x->sent_at[to] = to * (int)x->capacity;
		x->bucket[to] = x->sending + to * x->capacity * x->bytes;
	}
}

static void post(struct exchange *x, int from, struct message *m) {
	MPI_Irecv(m->items, (int)x->capacity, x->item, from, MPI_ANY_TAG, x->world, &m->request);
}

static void new_messages(struct exchange *x) {
	if (x->capacity > INT_MAX)
		peer_fail("buckets of %zu items are too large for a message: give less data", x->capacity);
	MPI_Comm_dup(MPI_COMM_WORLD, &x->world);
	x->other = peer_new(peer_ranks, sizeof *x->other);
	x->leaving = peer_new(peer_ranks, sizeof *x->leaving);
	x->oldest = peer_new(peer_ranks, sizeof *x->oldest);
	x->ended = peer_new(peer_ranks, sizeof *x->ended);
	x->slots = peer_new(peer_ranks * POSTED, sizeof *x->slots);
	for (int rank = 0; rank < peer_ranks; rank++) {
		x->bucket[rank] = peer_new(x->capacity, x->bytes);
		x->other[rank] = peer_new(x->capacity, x->bytes);
		x->leaving[rank] = MPI_REQUEST_NULL;
		for (int slot = 0; slot < POSTED && rank != peer_rank; slot++) {
			struct message *m = &x->slots[rank * POSTED + slot];
			m->items = peer_new(x->capacity, x->bytes);
			post(x, rank, m);
		}
	}
}

struct exchange *exchange_new(enum method method, size_t bytes, size_t capacity, handler handle, void *state) {
	struct exchange *x = peer_new(1, sizeof *x);
	x->method = method;
	x->bytes = bytes;
	x->capacity = capacity;
	x->handle = handle;
	x->state = state;
	x->bucket = peer_new(peer_ranks, sizeof *x->bucket);
	x->count = peer_new(peer_ranks, sizeof *x->count);
	MPI_Type_contiguous((int)bytes, MPI_BYTE, &x->item);
	MPI_Type_commit(&x->item);
	if (method == ALLTOALLV)
		new_rounds(x);
	else
		new_messages(x);
	return x;
}

static void handle_own(struct exchange *x) {
	size_t n = x->count[peer_rank];
	x->count[peer_rank] = 0;
	if (n > 0)
		x->handle(x->state, peer_rank, x->bucket[peer_rank], n);
}

static void inbox_for(struct exchange *x, size_t items) {
	if (items <= x->inbox_room)
		return;
	x->inbox_room = items + items / 2;
	free(x->inbox);
	x->inbox = peer_new(x->inbox_room, x->bytes);
}

// round_of_all is the MPI column of the paper: the numbers of items, then the items.
static void round_of_all(struct exchange *x) {
	for (int to = 0; to < peer_ranks; to++) {
		x->sent[to] = to == peer_rank ? 0 : (int)x->count[to];
		if (to != peer_rank)
			x->count[to] = 0;
	}
	MPI_Alltoall(x->sent, 1, MPI_INT, x->came, 1, MPI_INT, MPI_COMM_WORLD);
	size_t total = 0;
	for (int from = 0; from < peer_ranks; from++) {
		x->came_at[from] = (int)total;
		total += x->came[from];
		if (total > INT_MAX)
			peer_fail("%zu items in one round are too many for MPI_Alltoallv: give less data", total);
	}
	inbox_for(x, total);
	MPI_Alltoallv(x->sending, x->sent, x->sent_at, x->item, x->inbox, x->came, x->came_at, x->item, MPI_COMM_WORLD);
	handle_own(x);
	for (int from = 0; from < peer_ranks; from++)
		if (x->came[from] > 0)
			x->handle(x->state, from, x->inbox + x->came_at[from] * x->bytes, x->came[from]);
}

// take handles the messages that have come from a rank, up to its last of the phase.
static void take(struct exchange *x, int from) {
	while (!x->ended[from]) {
		struct message *m = &x->slots[from * POSTED + x->oldest[from]];
		MPI_Status status;
		int came, n;
		MPI_Test(&m->request, &came, &status);
		if (!came)
			return;
		MPI_Get_count(&status, x->item, &n);
		x->ended[from] = status.MPI_TAG == LAST;
		x->oldest[from] = (x->oldest[from] + 1) % POSTED;
		if (n > 0)
			x->handle(x->state, from, m->items, n);
		post(x, from, m);
	}
}

static void take_all(struct exchange *x) {
	for (int from = 0; from < peer_ranks; from++)
		if (from != peer_rank)
			take(x, from);
}

// wait_for waits until a bucket has left, and takes messages meanwhile: the other rank may wait for just that.
static void wait_for(struct exchange *x, int to) {
	for (;;) {
		int left;
		MPI_Test(&x->leaving[to], &left, MPI_STATUS_IGNORE);
		if (left)
			return;
		take_all(x);
	}
}

static void message_to(struct exchange *x, int to, int tag) {
	wait_for(x, to);
	MPI_Isend(x->bucket[to], (int)x->count[to], x->item, to, tag, x->world, &x->leaving[to]);
	char *free_again = x->other[to];
	x->other[to] = x->bucket[to];
	x->bucket[to] = free_again;
	x->count[to] = 0;
}

void exchange_send_to(struct exchange *x, int to) {
	message_to(x, to, MORE);
	take_all(x);
}

// messages_to_all begins with the rank after this one, so that not all send to the same.
static void messages_to_all(struct exchange *x, int tag) {
	for (int i = 1; i < peer_ranks; i++) {
		int to = (peer_rank + i) % peer_ranks;
		if (x->count[to] > 0 || tag == LAST)
			message_to(x, to, tag);
	}
	handle_own(x);
	take_all(x);
}

void exchange_send(struct exchange *x) {
	if (x->method == ALLTOALLV)
		round_of_all(x);
	else
		messages_to_all(x, MORE);
}

static bool all_ended(const struct exchange *x) {
	for (int from = 0; from < peer_ranks; from++)
		if (from != peer_rank && !x->ended[from])
			return false;
	return true;
}

void exchange_end(struct exchange *x) {
	if (x->method == ALLTOALLV) {
		round_of_all(x);
		return;
	}
	messages_to_all(x, LAST);
	while (!all_ended(x))
		take_all(x);
	MPI_Waitall(peer_ranks, x->leaving, MPI_STATUSES_IGNORE);
	memset(x->ended, 0, peer_ranks * sizeof *x->ended);
}

static void free_messages(struct exchange *x) {
	for (int i = 0; i < peer_ranks * POSTED; i++) {
		struct message *m = &x->slots[i];
		if (m->items == NULL)
			continue;
		MPI_Cancel(&m->request);
		MPI_Wait(&m->request, MPI_STATUS_IGNORE);
		free(m->items);
	}
	for (int rank = 0; rank < peer_ranks; rank++) {
		free(x->bucket[rank]);
		free(x->other[rank]);
	}
	MPI_Comm_free(&x->world);
}

void exchange_free(struct exchange *x) {
	if (x->method == POINT_TO_POINT)
		free_messages(x);
	MPI_Type_free(&x->item);
	free(x->sent);
	free(x->sent_at);
	free(x->came);
	free(x->came_at);
	free(x->sending);
	free(x->inbox);
	free(x->other);
	free(x->leaving);
	free(x->slots);
	free(x->oldest);
	free(x->ended);
	free(x->bucket);
	free(x->count);
	free(x);
}
