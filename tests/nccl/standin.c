/* NCCL's functions between threads of one process, over host memory, where there is no NCCL: for tests alone.

   As in a communicator that does not block, calls return at once, and ncclCommGetAsyncError goes on with what is under
   way. A message that nobody sends never comes; a communicator that a rank has aborted is an error on the others. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6, IN_PROGRESS = 7 };
enum { MOST = 16, WAITING = 256 };

typedef struct { char bytes[128]; } Id;
typedef struct { size_t size; unsigned magic, version; int blocking; } Config;

/* A message under way. */
typedef struct Letter { int from, to; size_t bytes; void *data; struct Letter *next; } Letter;

/* What the ranks of one identifier have in common. */
typedef struct World { Id id; int ranks, joined, aborted; Letter *first; struct World *next; } World;

/* A message that a rank waits for. */
typedef struct { int from; size_t bytes; void *to; } Wait;

typedef struct { World *world; int rank, waits; Wait wait[WAITING]; } Comm;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static World *worlds;
static int ids;

static World *world_of(Id id, int ranks) {
  World *world = worlds;
  while (world && memcmp(world->id.bytes, id.bytes, sizeof id.bytes)) world = world->next;
  if (!world) {
    world = calloc(1, sizeof *world);
    world->id = id, world->ranks = ranks, world->next = worlds, worlds = world;
  }
  return world;
}

static void post(Comm *comm, int to, const void *data, size_t bytes) {
  Letter *letter = malloc(sizeof *letter), **last = &comm->world->first;
  *letter = (Letter){comm->rank, to, bytes, malloc(bytes ? bytes : 1), NULL};
  memcpy(letter->data, data, bytes);
  while (*last) last = &(*last)->next;
  *last = letter;
}

static int await(Comm *comm, int from, void *to, size_t bytes) {
  if (comm->waits == WAITING) return INVALID_USAGE;
  comm->wait[comm->waits++] = (Wait){from, bytes, to};
  return SUCCESS;
}

/* Takes the first message of a rank, if it has come. */
static int take(Comm *comm, Wait wait) {
  for (Letter **at = &comm->world->first; *at; at = &(*at)->next) {
    Letter *letter = *at;
    if (letter->from != wait.from || letter->to != comm->rank) continue;
    if (letter->bytes != wait.bytes) return INVALID_ARGUMENT;
    memcpy(wait.to, letter->data, letter->bytes);
    *at = letter->next;
    free(letter->data), free(letter);
    return SUCCESS;
  }
  return IN_PROGRESS;
}

static int go_on(Comm *comm) {
  if (comm->world->aborted) return REMOTE_ERROR;
  if (comm->world->joined < comm->world->ranks) return IN_PROGRESS;
  while (comm->waits) {
    int state = take(comm, comm->wait[0]);
    if (state) return state;
    memmove(comm->wait, comm->wait + 1, --comm->waits * sizeof *comm->wait);
  }
  return SUCCESS;
}

int ncclGetVersion(int *version) { return *version = 21703, SUCCESS; }

int ncclGetUniqueId(Id *id) {
  pthread_mutex_lock(&mutex);
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "stand-in %d", ++ids);
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

int ncclCommInitRankConfig(Comm **comm, int ranks, Id id, int rank, Config *config) {
  if (config->magic != 0xcafebeef || config->size != 48 || config->blocking || ranks > MOST) return INVALID_ARGUMENT;
  pthread_mutex_lock(&mutex);
  World *world = world_of(id, ranks);
  int status = world->ranks == ranks ? IN_PROGRESS : INVALID_ARGUMENT;
  *comm = calloc(1, sizeof **comm);
  (*comm)->world = world, (*comm)->rank = rank, world->joined++;
  pthread_mutex_unlock(&mutex);
  return status;
}

int ncclCommCount(Comm *comm, int *count) { return *count = comm->world->ranks, SUCCESS; }
int ncclCommUserRank(Comm *comm, int *rank) { return *rank = comm->rank, SUCCESS; }

int ncclCommGetAsyncError(Comm *comm, int *state) {
  pthread_mutex_lock(&mutex);
  *state = go_on(comm);
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

int ncclCommAbort(Comm *comm) {
  pthread_mutex_lock(&mutex);
  comm->world->aborted = 1;
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

int ncclCommFinalize(Comm *comm) { return comm ? SUCCESS : 4; }
int ncclCommDestroy(Comm *comm) { return free(comm), SUCCESS; }

const char *ncclGetErrorString(int status) {
  return status == REMOTE_ERROR ? "remote process exited or there was a network error" : "an error of the stand-in";
}

static __thread int depth;

int ncclGroupStart(void) { return depth++, SUCCESS; }
int ncclGroupEnd(void) { return --depth < 0 ? INVALID_USAGE : IN_PROGRESS; }

int ncclSend(const void *data, size_t count, int type, int to, Comm *comm, void *stream) {
  (void)stream;
  if (type != 1 || to == comm->rank || depth != 1) return INVALID_ARGUMENT;
  pthread_mutex_lock(&mutex);
  post(comm, to, data, count);
  pthread_mutex_unlock(&mutex);
  return IN_PROGRESS;
}

int ncclRecv(void *data, size_t count, int type, int from, Comm *comm, void *stream) {
  (void)stream;
  if (type != 1 || from == comm->rank || depth != 1) return INVALID_ARGUMENT;
  pthread_mutex_lock(&mutex);
  int status = await(comm, from, data, count);
  pthread_mutex_unlock(&mutex);
  return status ? status : IN_PROGRESS;
}

int ncclAllGather(const void *data, void *all, size_t count, int type, Comm *comm, void *stream) {
  (void)stream;
  if (type != 1) return INVALID_ARGUMENT;
  pthread_mutex_lock(&mutex);
  int status = SUCCESS;
  for (int rank = 0; rank < comm->world->ranks; rank++) {
    char *to = (char *)all + rank * count;
    if (rank == comm->rank) {
      memcpy(to, data, count);
      continue;
    }
    post(comm, rank, data, count);
    if (!status) status = await(comm, rank, to, count);
  }
  pthread_mutex_unlock(&mutex);
  return status ? status : IN_PROGRESS;
}

/* For tests: a communicator of ranks that have joined, as a caller of ours may have one. */
Comm *standin_communicator(int rank, int ranks) {
  Id id = {"the caller's"};
  Config config = {48, 0xcafebeef, 21701, 0};
  Comm *comm = NULL;
  ncclCommInitRankConfig(&comm, ranks, id, rank, &config);
  return comm;
}
