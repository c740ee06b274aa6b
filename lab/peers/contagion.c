// Visits of a contagion simulation (TRAM, section VI B): each day each person sends a visit to each location that it
// goes to, and each location keeps its visits of the day and notes which states its visitors have. Nobody is ill, so
// that no location has to sweep them. People and locations are dealt to the ranks in turn.
//
//	--method alltoallv   gather the visits of some people, then MPI_Alltoall and MPI_Alltoallv
//	--method p2p         a bucket for each rank, sent without waiting when it is full
#include "exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY = 86400, WEEK = 7, USE_VISITS = 1, MOST = 64, PER_DAY = 5, FIRSTS = 1 << 11 };

struct visit {
	uint32_t location, person, place;
	int32_t arrive, depart;
	uint32_t day, number, state;
	float modifier;
};

struct location {
	uint32_t brings, visits; // of today
};

static uint64_t people = 500000, locations, seed;
static int width, height;
static double *reach;     // chance of a distance of at most so many hops
static int first[FIRSTS]; // by the first bits of a chance: the least distance that it may mean

// A stream of random numbers that are counted.
struct stream {
	uint64_t key, n;
};

static struct stream stream_at(uint64_t use, uint64_t who, uint64_t when) {
	return (struct stream){mix(mix(mix(mix(seed) ^ use) ^ who) ^ when), 0};
}

static uint64_t draw(struct stream *s) { return mix(s->key + ++s->n); }

static double draw_double(struct stream *s) { return (double)(draw(s) >> 11) / 9007199254740992.0; }

static int64_t draw_int(struct stream *s, int64_t low, int64_t high) {
	const uint64_t values = (uint64_t)(high - low) + 1;
	for (;;) {
		const unsigned __int128 product = (unsigned __int128)draw(s) * values;
		if ((uint64_t)product >= values || (uint64_t)product >= -values % values)
			return low + (int64_t)(product >> 64);
	}
}

static int draw_poisson(struct stream *s, double least) {
	double product = 1;
	for (int n = 0;; n++)
		if ((product *= draw_double(s)) <= least)
			return n;
}

// new_town makes what a town of so many locations has in common: a square of them, and Zipf's law of distances.
static void new_town(void) {
	width = (int)ceil(sqrt((double)locations));
	height = (int)((locations + width - 1) / width);
	const int reaches = width + height - 1;
	reach = peer_new(reaches, sizeof *reach);
	double sum = 0;
	for (int i = 0; i < reaches; i++)
		reach[i] = sum += pow(i + 1, -1.5);
	for (int i = 0; i < reaches; i++)
		reach[i] /= sum;
	for (int i = 0, hops = 0; i < FIRSTS; i++) {
		while (reach[hops] < (double)i / FIRSTS)
			hops++;
		first[i] = hops;
	}
}

static int mirror(int at, int n) {
	if (at >= 0 && at < n)
		return at;
	if (n == 1)
		return 0;
	at = abs(at) % (2 * (n - 1));
	return at < n ? at : 2 * (n - 1) - at;
}

// near draws a location so many hops away from another.
static uint32_t near(uint32_t home, struct stream *s) {
	const double u = draw_double(s);
	int hops = first[(int)(u * FIRSTS)];
	while (reach[hops] < u)
		hops++;
	if (hops == 0)
		return home;
	const int along = (int)draw_int(s, -hops, hops);
	int across = hops - abs(along);
	if (draw_int(s, 0, 1) == 1)
		across = -across;
	const uint32_t at = (uint32_t)(mirror((int)(home % width) + along, width) +
	                               width * mirror((int)(home / width) + across, height));
	return at < locations ? at : (uint32_t)locations - 1;
}

// order sorts a few times without branches, which no processor could foresee.
static void order(int32_t *times, int n) {
	for (int i = 0; i < n; i++) {
		int32_t x = times[i];
		for (int j = 0; j < i; j++) {
			const int32_t y = times[j];
			times[j] = x < y ? x : y;
			x = x < y ? y : x;
		}
		times[i] = x;
	}
}

// itinerary makes the visits of a person on a day, and returns how many they are.
static int itinerary(struct visit *out, uint32_t person, uint32_t day, double least) {
	struct stream s = stream_at(USE_VISITS, person, day % WEEK);
	const int n = draw_poisson(&s, least);
	if (n > MOST)
		peer_fail("a person makes %d visits on a day, and %d at most are expected", n, MOST);
	int32_t times[2 * MOST];
	for (int i = 0; i < 2 * n; i++)
		times[i] = (int32_t)draw_int(&s, 0, DAY);
	order(times, 2 * n);
	const uint32_t home = (uint32_t)((uint64_t)person * locations / people);
	int made = 0;
	for (int i = 0; i < 2 * n; i += 2) {
		if (times[i] >= times[i + 1])
			continue;
		out[made] = (struct visit){.location = near(home, &s), .person = person, .arrive = times[i],
		                           .depart = times[i + 1], .day = day, .number = (uint32_t)made, .modifier = 1};
		made++;
	}
	return made;
}

// part is what this rank has: its locations, and the visits of the day.
struct part {
	struct location *places;
	struct visit *visits;
	uint64_t n, room, hot;
};

static void take(void *state, int from, const void *items, size_t n) {
	(void)from;
	struct part *p = state;
	if (p->n + n > p->room) {
		p->room = 2 * (p->n + n);
		p->visits = peer_more(p->visits, p->room, sizeof *p->visits);
	}
	memcpy(p->visits + p->n, items, n * sizeof *p->visits);
	p->n += n;
	const struct visit *came = items;
	for (size_t i = 0; i < n; i++) {
		struct location *l = &p->places[came[i].location / peer_ranks];
		l->brings |= 1U << came[i].state;
		l->visits++;
	}
}

// send_day makes the visits of this rank's people, and returns how many they are. All ranks have as many rounds: one
// for each group of people.
static uint64_t send_day(struct exchange *x, uint32_t day, double least) {
	const uint64_t group = x->capacity / MOST, most = (people + peer_ranks - 1) / peer_ranks;
	struct visit visits[MOST];
	uint64_t made = 0;
	for (uint64_t i = 0; i < most; i++) {
		const uint64_t person = i * peer_ranks + peer_rank;
		const int n = person < people ? itinerary(visits, (uint32_t)person, day, least) : 0;
		for (int v = 0; v < n; v++) {
			const int to = (int)(visits[v].location % peer_ranks);
			((struct visit *)x->bucket[to])[x->count[to]++] = visits[v];
			if (x->method == ALLTOALLV || x->count[to] < x->capacity)
				continue;
			if (to == peer_rank) {
				x->handle(x->state, to, x->bucket[to], x->count[to]);
				x->count[to] = 0;
			} else {
				exchange_send_to(x, to);
			}
		}
		made += n;
		if (x->method == ALLTOALLV && (i + 1) % group == 0)
			exchange_send(x);
	}
	return made;
}

static uint64_t fingerprint(const struct visit *v) {
	return mix(mix((uint64_t)v->location << 32 | v->person) ^ ((uint64_t)v->number << 40 | (uint64_t)v->day << 32)) ^
	       mix((uint64_t)(uint32_t)v->arrive << 32 | (uint32_t)v->depart);
}

// verify makes all visits of the last day again, and returns how many of this rank's locations have others.
static uint64_t verify(const struct part *p, uint32_t day, double least) {
	const uint64_t own = (locations + peer_ranks - 1 - peer_rank) / peer_ranks;
	uint64_t *sums = peer_new(own + 1, sizeof *sums), *counts = peer_new(own + 1, sizeof *counts), errors = 0;
	struct visit visits[MOST];
	for (uint64_t person = 0; person < people; person++) {
		const int n = itinerary(visits, (uint32_t)person, day, least);
		for (int i = 0; i < n; i++)
			if (visits[i].location % peer_ranks == (uint32_t)peer_rank) {
				sums[visits[i].location / peer_ranks] += fingerprint(&visits[i]);
				counts[visits[i].location / peer_ranks]++;
			}
	}
	for (uint64_t i = 0; i < p->n; i++)
		sums[p->visits[i].location / peer_ranks] -= fingerprint(&p->visits[i]);
	for (uint64_t i = 0; i < own; i++)
		errors += sums[i] != 0 || counts[i] != p->places[i].visits || (counts[i] > 0) != p->places[i].brings;
	free(sums);
	free(counts);
	return peer_sum(errors);
}

int main(int argc, char **argv) {
	uint64_t days = 6, bundle = 1024;
	const char *method_name = "p2p";
	peer_start(&argc, &argv, (struct option[]){
		{"people", .count = &people, .least = 1, .most = UINT32_MAX - 1},
		{"days", .count = &days, .least = 1, .most = 1 << 20},
		{"bundle", .count = &bundle, .least = 1, .most = 1 << 20},
		{"seed", .count = &seed, .least = 0, .most = 1e15},
		{"method", .text = &method_name},
		{0},
	});
	const enum method method = peer_method(method_name);
	const double least = exp(-PER_DAY);
	locations = people < 4 ? 1 : people / 4;

	double begin = peer_begin();
	new_town();
	const uint64_t own = (locations + peer_ranks - 1) / peer_ranks;
	struct part p = {.places = peer_new(own, sizeof *p.places)};
	// In rounds, no bucket may be too small for what a group of people sends at the most.
	const uint64_t capacity = method == ALLTOALLV ? (bundle + PER_DAY - 1) / PER_DAY * MOST : bundle;
	struct exchange *x = exchange_new(method, sizeof(struct visit), capacity, take, &p);
	const double set_up = peer_seconds(begin);

	begin = peer_begin();
	uint64_t made = 0;
	for (uint64_t day = 0; day < days; day++) {
		p.n = 0;
		memset(p.places, 0, own * sizeof *p.places);
		made += send_day(x, (uint32_t)day, least);
		exchange_end(x);
		for (uint64_t i = 0; i < own; i++)
			p.hot += (p.places[i].brings & p.places[i].brings >> 1) != 0;
	}
	const double seconds = peer_seconds(begin);
	exchange_free(x);

	begin = peer_begin();
	const uint64_t errors = verify(&p, (uint32_t)days - 1, least) + peer_sum(p.hot);
	const uint64_t visits = peer_sum(made);
	const double verifying = peer_seconds(begin);
	free(p.places);
	free(p.visits);
	free(reach);

	json_begin("contagion");
	json_text("method", method_name);
	json_count("people", people);
	json_count("days", days);
	json_number("seconds", seconds);
	json_number("set_up_seconds", set_up);
	json_number("verify_seconds", verifying);
	json_count("errors", errors);
	json_count("visits", visits);
	json_number("visits_per_second", (double)visits / seconds);
	json_end();
	return peer_finish(errors);
}
