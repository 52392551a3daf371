// The exact three-way table on a GPU: showdown_tables.py writes its input and reads its output.
//
//   nvcc -O3 -arch=sm_90 -o three_way_exact three_way_exact.cu
//   ./three_way_exact INPUT OUTPUT [BOARDS]
//
// The method is that of equipoise/cards/showdown/count.py. A thread owns a pair (a, b) and a third hand c and
// walks through the boards. All threads of a block share the pair, so which of a and b is ahead on a board is
// known to all, and at most five comparisons place c. Boards come in slabs whose ranks fit the L2 cache.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using std::vector;

constexpr int HANDS = 1326, CLASSES = 169, ORDERS = 13, THREADS = 256, SLAB = 8192, UNROLL = 4;
constexpr int TRIPLES = CLASSES * (CLASSES + 1) * (CLASSES + 2) / 6;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct Pair {
    int32_t first, second, times;
};

// A pair, and the first of the hands c that a block gives to its threads.
struct Item {
    Pair pair;
    int32_t begin;
};

// The tables of equipoise/cards/evaluate.py.
struct Evaluator {
    const uint64_t* keys;  // two for each card
    const uint32_t *row, *column;
    const uint16_t *best, *flush;
    uint64_t start;
};

// Ranks of all hands on all boards, two boards to a word, and zero where hand and board share a card.
__global__ void rank_hands(Evaluator tables, const uint8_t* hands, const uint8_t* boards, int64_t count,
                           uint16_t* ranks) {
    int64_t board = blockIdx.x;
    if (board >= count) return;
    for (int hand = threadIdx.x; hand < HANDS; hand += blockDim.x) {
        uint64_t total = tables.start, held = 0, twice = 0;
        for (int i = 0; i < 7; i++) {
            int card = i < 2 ? hands[2 * hand + i] : boards[5 * board + i - 2];
            total += tables.keys[2 * card];
            twice |= held & tables.keys[2 * card + 1];
            held |= tables.keys[2 * card + 1];
        }
        if (twice) continue;  // and the rank stays zero; the tables have no such hand
        uint16_t rank = tables.best[tables.row[total & 0xffffff] + tables.column[total >> 24 & 0xffffff]];
        if (total & 0x8888ull << 48)
            for (int suit = 0; suit < 4; suit++) rank = max(rank, tables.flush[held >> 16 * suit & 0xffff]);
        ranks[(board / 2 * HANDS + hand) * 2 + board % 2] = rank;
    }
}

// Count c where it is live, not below the lower of a and b, above it, not below the higher, above it.
__device__ void place(uint32_t (&above)[ORDERS], uint32_t a, uint32_t b, uint32_t c) {
    if (a == 0 || b == 0) return;
    if (a > b) {
        above[0] += c > 0, above[1] += c >= b, above[2] += c > b, above[3] += c >= a, above[4] += c > a;
    } else if (a < b) {
        above[5] += c > 0, above[6] += c >= a, above[7] += c > a, above[8] += c >= b, above[9] += c > b;
    } else {
        above[10] += c > 0, above[11] += c >= a, above[12] += c > a;
    }
}

// Add a slab of boards, from word `low` to `high`, to the counts of every item.
__global__ void __launch_bounds__(THREADS) tally(const Item* items, const uint32_t* ranks, int64_t low,
                                                 int64_t high, uint32_t* counts) {
    const Item item = items[blockIdx.x];
    const int c = item.begin + threadIdx.x;
    if (c >= HANDS) return;
    uint32_t above[ORDERS] = {};
    const uint32_t* words = ranks + low * HANDS;
    for (int64_t word = low; word < high; word += UNROLL, words += UNROLL * HANDS) {
        uint32_t x[UNROLL], y[UNROLL], z[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            x[u] = __ldg(words + u * HANDS + item.pair.first);
            y[u] = __ldg(words + u * HANDS + item.pair.second);
            z[u] = __ldg(words + u * HANDS + c);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            place(above, x[u] & 0xffff, y[u] & 0xffff, z[u] & 0xffff);
            place(above, x[u] >> 16, y[u] >> 16, z[u] >> 16);
        }
    }
    uint32_t* own = counts + (int64_t)blockIdx.x * ORDERS * THREADS + threadIdx.x;
    for (int order = 0; order < ORDERS; order++) own[order * THREADS] += above[order];
}

// Add the items up by class: counts "at least so high" become counts of orders.
__global__ void gather(const Item* items, const uint32_t* counts, const uint8_t* hands,
                       const int32_t* class_of, uint32_t* table) {
    const Item item = items[blockIdx.x];
    const int a = item.pair.first, b = item.pair.second, c = item.begin + threadIdx.x;
    if (c >= HANDS) return;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (hands[2 * c + i] == hands[2 * a + j] || hands[2 * c + i] == hands[2 * b + j]) return;
    const int i = class_of[a], j = class_of[b], k = class_of[c];
    uint32_t* row = table + (int64_t)ORDERS * (k * (k + 1) * (k + 2) / 6 + j * (j + 1) / 2 + i);
    const uint32_t* own = counts + (int64_t)blockIdx.x * ORDERS * THREADS + threadIdx.x;
    for (int order = 0; order < ORDERS; order++) {
        bool last = order == 4 || order == 9 || order == 12;
        uint32_t beyond = last ? 0 : own[(order + 1) * THREADS];
        atomicAdd(row + order, item.pair.times * (own[order * THREADS] - beyond));
    }
}

[[noreturn]] void fail(const char* place, const char* reason) {
    fprintf(stderr, "%s: %s\n", place, reason);
    exit(2);
}

// An array comes after its size in bytes.
template <class T>
vector<T> read(FILE* file) {
    uint64_t bytes;
    if (fread(&bytes, sizeof bytes, 1, file) != 1) fail("INPUT", "ends early");
    vector<T> values(bytes / sizeof(T));
    if (fread(values.data(), 1, bytes, file) != bytes) fail("INPUT", "ends early");
    return values;
}

template <class T>
T* on_device(const vector<T>& values) {
    T* pointer;
    CHECK(cudaMalloc(&pointer, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

template <class T>
T* zeros(int64_t size) {
    T* pointer;
    CHECK(cudaMalloc(&pointer, size * sizeof(T)));
    CHECK(cudaMemset(pointer, 0, size * sizeof(T)));
    return pointer;
}

int main(int argc, char** argv) {
    if (argc < 3) fail("three_way_exact", "expected INPUT OUTPUT [BOARDS]");
    FILE* input = fopen(argv[1], "rb");
    if (!input) fail(argv[1], "cannot be read");
    auto hands = on_device(read<uint8_t>(input));
    auto host_classes = read<int32_t>(input), first_of = read<int32_t>(input);
    auto pairs = read<Pair>(input);
    auto boards = read<uint8_t>(input);
    auto start = read<uint64_t>(input), keys = read<uint64_t>(input);
    auto row = read<uint32_t>(input), column = read<uint32_t>(input);
    auto best = read<uint16_t>(input), flush = read<uint16_t>(input);
    fclose(input);
    Evaluator tables{on_device(keys), on_device(row),   on_device(column),
                     on_device(best), on_device(flush), start[0]};

    int64_t all = boards.size() / 5, count = argc > 3 ? atoll(argv[3]) : all;
    // On a board where all ranks are zero no hand is live: such boards fill the last words up.
    int64_t words = (count + 1) / 2, filled = (words + UNROLL - 1) / UNROLL * UNROLL;
    auto ranks = zeros<uint32_t>(filled * HANDS);
    rank_hands<<<count, THREADS>>>(tables, hands, on_device(boards), count, (uint16_t*)ranks);
    CHECK(cudaDeviceSynchronize());

    vector<Item> list;
    for (auto& pair : pairs)
        for (int begin = first_of[host_classes[pair.second]]; begin < HANDS; begin += THREADS)
            list.push_back({pair, begin});
    auto items = on_device(list);
    auto counts = zeros<uint32_t>((int64_t)list.size() * ORDERS * THREADS);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int64_t low = 0; low < filled; low += SLAB / 2)
        tally<<<list.size(), THREADS>>>(items, ranks, low, std::min(low + SLAB / 2, filled), counts);
    auto table = zeros<uint32_t>((int64_t)TRIPLES * ORDERS);
    gather<<<list.size(), THREADS>>>(items, counts, hands, on_device(host_classes), table);
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    printf("%lld boards, %zu blocks, %.3f s\n", (long long)count, list.size(), milliseconds / 1000);

    vector<uint32_t> result((int64_t)TRIPLES * ORDERS);
    CHECK(cudaMemcpy(result.data(), table, result.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    FILE* output = fopen(argv[2], "wb");
    if (!output || fwrite(result.data(), sizeof(uint32_t), result.size(), output) != result.size())
        fail(argv[2], "cannot be written");
    return fclose(output);
}
