// The network's operations, to the bit as package kernel computes them on a processor with AVX2, AVX-512 or NEON. Images
// are stored channels last. Every sum adds its terms in that package's order. HEIGHT, WIDTH, EDGE_ROWS and EDGE_COLUMNS
// are the board's size and that of the output tiles at its lower and right edges, as in kernel.Conv.
//
// A kernel states the size of its groups: drivers refuse to launch a large one that does not.

#define GROUP 64
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
#define UNROLL _Pragma("unroll")
#define NAME_(a, b) a##b
#define NAME(a, b) NAME_(a, b)

#define CELLS (HEIGHT * WIDTH)
#define FULL_ROWS (HEIGHT / 4)
#define FULL_COLUMNS (WIDTH / 4)
#define LOW (HEIGHT % 4 ? FULL_COLUMNS : 0)      // tiles of an image by kind
#define INNER (FULL_ROWS * FULL_COLUMNS)
#define RIGHT (WIDTH % 4 ? FULL_ROWS : 0)
#define CORNER (HEIGHT % 4 && WIDTH % 4 ? 1 : 0)
#define TILES (LOW + INNER + RIGHT + CORNER)

// POINT is the number of a tile's point, see package kernel.
#define POINT(i, outputs) ((i) == (outputs) + 1 ? 5 : (i))

// rectified keeps NaN and -0, which fmax does not.
static float rectified(float x) { return x < 0.0f ? 0.0f : x; }

// patches writes the 3x3 neighbourhood of every cell, [batch, cells, planes, 9], of planes [batch, planes, cells].
KERNEL patches(__global float *to, __global const uchar *planes, int batch, int depth) {
	int id = get_global_id(0), step = depth * 9;
	if (id >= batch * CELLS * step) return;
	int cell = id / step % CELLS, image = id / step / CELLS, plane = id % step / 9, tap = id % 9;
	int row = cell / WIDTH + tap / 3 - 1, column = cell % WIDTH + tap % 3 - 1;
	bool inside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
	to[id] = inside ? (float)planes[(image * depth + plane) * CELLS + row * WIDTH + column] : 0.0f;
}

// TRANSFORM computes y = m x w^T in two passes, where m and w are the functions first and second. They turn vectors of
// p and q elements into vectors of r and s.
#define TRANSFORM(first, second, r, p, q, s) \
	float half_[(r) * (q)]; \
	UNROLL for (int j = 0; j < (q); j++) first(half_ + j, q, x + j, q); \
	UNROLL for (int i = 0; i < (r); i++) second(y + i * (s), 1, half_ + i * (q), 1);

// GATHER transforms the floats of a tile at top, left, for a channel: R x Q outputs' gradients or, with an edge of 2, their
// inputs.
#define GATHER(prefix, R, Q, edge) { \
	float x[(R + edge) * (Q + edge)], y[(R + 2) * (Q + 2)]; \
	UNROLL for (int p = 0; p < R + edge; p++) UNROLL for (int q = 0; q < Q + edge; q++) { \
		int row = top - edge / 2 + p, column = left - edge / 2 + q; \
		bool inside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH; \
		x[p * (Q + edge) + q] = inside ? in[(row * WIDTH + column) * channels] : 0.0f; \
	} \
	TRANSFORM(NAME(prefix, R), NAME(prefix, Q), R + 2, R + edge, Q + edge, Q + 2) \
	UNROLL for (int i = 0; i < R + 2; i++) UNROLL for (int j = 0; j < Q + 2; j++) \
		out[(POINT(i, R) * 6 + POINT(j, Q)) * (long)plane] = y[i * (Q + 2) + j]; \
}

// SCATTER transforms a tile's products back and finishes them.
#define SCATTER(prefix, R, Q) { \
	float x[(R + 2) * (Q + 2)], y[R * Q]; \
	UNROLL for (int i = 0; i < R + 2; i++) UNROLL for (int j = 0; j < Q + 2; j++) \
		x[i * (Q + 2) + j] = in[(POINT(i, R) * 6 + POINT(j, Q)) * (long)plane]; \
	TRANSFORM(NAME(prefix, R), NAME(prefix, Q), R, R + 2, Q + 2, Q) \
	UNROLL for (int i = 0; i < R; i++) UNROLL for (int j = 0; j < Q; j++) { \
		int at = ((top + i) * WIDTH + left + j) * channels; \
		float v = y[i * Q + j]; \
		if (how & 3 || channel < whole) v = v + offset; \
		if (how & 8) v = v + residual[at]; \
		if (how & 4) v = rectified(v); \
		if (how & 16 && !(inputs[at] > 0.0f)) v = 0.0f; \
		out[at] = v; \
	} \
}

// EACH_KIND finds the tile of a row of the planes, which are sorted by kind, then by image. PLACE finds its image.
#define EACH_KIND(PLACE, TILE) \
	int image, t, top, left; \
	if (row < LOW * batch) { \
		KIND(PLACE, row, LOW, FULL_ROWS, 4 * t) TILE(EDGE_ROWS, 4) \
	} else if (row < (LOW + INNER) * batch) { \
		KIND(PLACE, row - LOW * batch, INNER, t / max(FULL_COLUMNS, 1), t % max(FULL_COLUMNS, 1) * 4) TILE(4, 4) \
	} else if (row < (LOW + INNER + RIGHT) * batch) { \
		KIND(PLACE, row - (LOW + INNER) * batch, RIGHT, t, FULL_COLUMNS * 4) TILE(4, EDGE_COLUMNS) \
	} else { \
		KIND(PLACE, row - (LOW + INNER + RIGHT) * batch, CORNER, FULL_ROWS, FULL_COLUMNS * 4) TILE(EDGE_ROWS, EDGE_COLUMNS) \
	}
#define KIND(PLACE, rest, tiles, tileRow, column) \
	image = (rest) / max(tiles, 1); t = (rest) % max(tiles, 1); top = (tileRow) * 4; left = column; PLACE

// gather transforms images [batch, cells, channels] into 36 planes of rows of channels, plane floats apart. Channels
// from whole on are computed as in plain Go.
#define GATHER_KERNEL(name, TILE) \
KERNEL name(__global float *planes, __global const float *images, int batch, int channels, int whole, int plane) { \
	int id = get_global_id(0), row = id / channels, channel = id % channels; \
	if (row >= batch * TILES) return; \
	__global float *out = planes + (long)row * channels + channel; \
	__global const float *in; \
	EACH_KIND(in = images + (long)image * CELLS * channels + channel;, TILE) \
}
#define INPUT(R, Q) if (channel < whole) GATHER(input, R, Q, 2) else GATHER(plain_input, R, Q, 2)
GATHER_KERNEL(gather, INPUT)

// scatter computes images [batch, cells, channels] from products, whose rows have width floats. It adds with how & 1 a
// bias [channels], with how & 2 a bias [batch, channels], and with how & 8 images others. With how & 4 negative results
// become 0, with how & 16 those where masks, images too, are not above 0.
KERNEL scatter(__global float *images, __global const float *planes, __global const float *bias,
		__global const float *others, __global const float *masks,
		int batch, int channels, int whole, int width, int plane, int how) {
	int id = get_global_id(0), row = id / channels, channel = id % channels;
	if (row >= batch * TILES) return;
	__global const float *in = planes + (long)row * width + channel, *residual, *inputs;
	__global float *out;
	float offset;
#define PLACE long start = (long)image * CELLS * channels + channel; out = images + start; \
	residual = others + start; inputs = masks + start; \
	offset = how & 3 ? bias[(how & 2 ? image * channels : 0) + channel] : 0.0f;
#define OUTPUT(R, Q) if (channel < whole) SCATTER(output, R, Q) else SCATTER(plain_output, R, Q)
	EACH_KIND(PLACE, OUTPUT)
}

// transformed_filter computes a filter [36, in, padded] from a weight, whose taps for output channel o and input channel
// i begin at (o * strideOut + i * strideIn) * 9, in reverse order if flipped is not 0.
KERNEL transformed_filter(__global float *to, __global const float *weight,
		int in, int channels, int padded, int strideOut, int strideIn, int flipped) {
	int id = get_global_id(0), i = id / padded, o = id % padded;
	if (i >= in) return;
	float x[9], y[36];
	UNROLL for (int tap = 0; tap < 9; tap++)
		x[flipped ? 8 - tap : tap] = o < channels ? weight[(o * strideOut + i * strideIn) * 9 + tap] : 0.0f;
	TRANSFORM(filter, filter, 6, 3, 3, 6)
	UNROLL for (int p = 0; p < 36; p++) to[((long)p * in + i) * padded + o] = y[p];
}

// pack writes a weight [out, in] as columns first, first+1, ... of a matrix [columns/16, in, 16].
KERNEL pack(__global float *to, __global const float *weight, int out, int in, int first) {
	int id = get_global_id(0), column = first + id / in, i = id % in;
	if (id >= out * in) return;
	to[column / 16 * 16 * in + i * 16 + column % 16] = weight[id];
}

// FUSED and ROUNDED add a product to a sum as vector instructions and as plain Go do.
#define FUSED(x, y, sum) fma(x, y, sum)
#define ROUNDED(x, y, sum) ((sum) + (x) * (y))

// PRODUCT multiplies rows of a, [rows, k], by b: rows used[2p] * batch to used[2p+1] * batch - 1 of each plane p. A group
// computes 64 rows and 8 * T columns, an item 8 rows and T columns. Column j of b is at j/16 * panel + j%16, its terms ldb
// apart. Terms of rows lie 68 apart in local memory, so that a group's writes meet few of its banks twice. Sums begin at 0 or, with how & 1, at bias[j] or, with how & 2, at bias[row / share * columns + j]. With how & 4
// they are rectified.
#define STEP 16
#define PRODUCT(name, T, ADD) \
KERNEL name(__global float *c, __global const float *a, __global const float *b, __global const float *bias, \
		__global const int *used, int batch, int k, int columns, int ldb, int panel, \
		int planeA, int planeB, int planeC, int share, int how) { \
	__local float rows[STEP * 68], terms[STEP * 8 * T]; \
	int p = get_group_id(2), item = get_local_id(0), x = item % 8, y = item / 8; \
	int first = used[2 * p] * batch + get_group_id(0) * 64, last = used[2 * p + 1] * batch, left = get_group_id(1) * 8 * T; \
	if (first >= last) return; \
	a += (long)p * planeA; b += (long)p * planeB; c += (long)p * planeC; \
	float sums[8][T]; \
	UNROLL for (int i = 0; i < 8; i++) UNROLL for (int j = 0; j < T; j++) { \
		int row = first + y * 8 + i, column = left + x + j * 8; \
		bool biased = (how & 3) && row < last && column < columns; \
		sums[i][j] = biased ? bias[(how & 2 ? row / share * columns : 0) + column] : 0.0f; \
	} \
	for (int done = 0; done < k; done += STEP) { \
		for (int e = item; e < STEP * 64; e += GROUP) { \
			int row = first + e / STEP, term = done + e % STEP; \
			rows[e % STEP * 68 + e / STEP] = row < last && term < k ? a[(long)row * k + term] : 0.0f; \
		} \
		for (int e = item; e < STEP * 8 * T; e += GROUP) { \
			int column = left + e % (8 * T), term = done + e / (8 * T); \
			terms[e] = term < k && column < columns ? b[column / 16 * (long)panel + column % 16 + term * (long)ldb] : 0.0f; \
		} \
		barrier(CLK_LOCAL_MEM_FENCE); \
		int n = min(STEP, k - done); \
		for (int t = 0; t < n; t++) { \
			float f[8], g[T]; \
			UNROLL for (int i = 0; i < 8; i++) f[i] = rows[t * 68 + y * 8 + i]; \
			UNROLL for (int j = 0; j < T; j++) g[j] = terms[t * 8 * T + x + j * 8]; \
			UNROLL for (int i = 0; i < 8; i++) UNROLL for (int j = 0; j < T; j++) sums[i][j] = ADD(f[i], g[j], sums[i][j]); \
		} \
		barrier(CLK_LOCAL_MEM_FENCE); \
	} \
	UNROLL for (int i = 0; i < 8; i++) UNROLL for (int j = 0; j < T; j++) { \
		int row = first + y * 8 + i, column = left + x + j * 8; \
		if (row < last && column < columns) c[(long)row * columns + column] = how & 4 ? rectified(sums[i][j]) : sums[i][j]; \
	} \
}
PRODUCT(product2, 2, FUSED)
PRODUCT(product4, 4, FUSED)
PRODUCT(product6, 6, FUSED)
PRODUCT(product8, 8, FUSED)
PRODUCT(rounded2, 2, ROUNDED)

// pool writes each channel's mean over an image's cells, then its maximum, [batch, 2, channels].
KERNEL pool(__global float *features, __global const float *images, int batch, int channels) {
	int id = get_global_id(0), image = id / channels, channel = id % channels;
	if (image >= batch) return;
	__global const float *x = images + (long)image * CELLS * channels + channel;
	float sum = 0.0f, most = x[0];
	for (int cell = 0; cell < CELLS; cell++) {
		float v = x[cell * channels];
		sum = sum + v;
		most = v > most ? v : most;
	}
	features[2 * image * channels + channel] = sum / (float)CELLS;
	features[(2 * image + 1) * channels + channel] = most;
}

// copy copies columns of batch * share rows.
KERNEL copy(__global float *to, __global const float *from, int batch, int share, int columns,
		int widthTo, int firstTo, int widthFrom, int firstFrom) {
	int id = get_global_id(0), row = id / columns, column = id % columns;
	if (row >= batch * share) return;
	to[row * (long)widthTo + firstTo + column] = from[row * (long)widthFrom + firstFrom + column];
}
