// The gradients of the operations in kernels.cl. A batch has some equal parts: sums over images are sums over each part,
// and then the parts' mean.

// gather_gradient is gather for gradients of outputs.
#define OUTPUT_GRADIENT(R, Q) if (channel < whole) GATHER(gradient, R, Q, 0) else GATHER(plain_gradient, R, Q, 0)
GATHER_KERNEL(gather_gradient, OUTPUT_GRADIENT)

// OUTER sums a[row, i] * b[row, o] over rows for all i and o: c [part, plane, in, out]. Rows of a plane and part are
// order[ranges[0]] to order[ranges[1]-1], or ranges[0] to ranges[1]-1 if listed is 0. A group computes 8T x 8T sums, an
// item T x T. It reads the next rows before it adds the last ones.
#define DEPTH 16
#define READ_ROWS(T) \
	UNROLL for (int e = 0; e < DEPTH * T / 8; e++) { \
		int n = row + (e * GROUP + item) / (8 * T), k = (e * GROUP + item) % (8 * T); \
		long at = n < last ? (listed ? order[n] : n) : 0; \
		nextA[e] = n < last && i0 + k < in ? a[at * in + i0 + k] : 0.0f; \
		nextB[e] = n < last && o0 + k < out ? b[at * out + o0 + k] : 0.0f; \
	}
#define OUTER(name, T, ADD) \
KERNEL name(__global float *c, __global const float *a, __global const float *b, __global const int *order, \
		__global const int *ranges, int planes, int parts, int in, int out, int planeA, int planeB, int listed) { \
	__local float as[DEPTH * 8 * T], bs[DEPTH * 8 * T]; \
	int p = get_group_id(2) / parts, part = get_group_id(2) % parts, item = get_local_id(0), x = item % 8, y = item / 8; \
	int i0 = get_group_id(0) * 8 * T, o0 = get_group_id(1) * 8 * T; \
	int row = ranges[(p * parts + part) * 2], last = ranges[(p * parts + part) * 2 + 1]; \
	a += (long)p * planeA; b += (long)p * planeB; c += ((long)part * planes + p) * in * out; \
	float sums[T][T], nextA[DEPTH * T / 8], nextB[DEPTH * T / 8]; \
	UNROLL for (int i = 0; i < T; i++) UNROLL for (int j = 0; j < T; j++) sums[i][j] = 0.0f; \
	READ_ROWS(T) \
	while (row < last) { \
		barrier(CLK_LOCAL_MEM_FENCE); \
		UNROLL for (int e = 0; e < DEPTH * T / 8; e++) { \
			as[e * GROUP + item] = nextA[e]; \
			bs[e * GROUP + item] = nextB[e]; \
		} \
		barrier(CLK_LOCAL_MEM_FENCE); \
		int n = min(DEPTH, last - row); \
		row += DEPTH; \
		READ_ROWS(T) \
		for (int t = 0; t < n; t++) { \
			float f[T], g[T]; \
			UNROLL for (int i = 0; i < T; i++) { f[i] = as[t * 8 * T + y + i * 8]; g[i] = bs[t * 8 * T + x + i * 8]; } \
			UNROLL for (int i = 0; i < T; i++) UNROLL for (int j = 0; j < T; j++) sums[i][j] = ADD(f[i], g[j], sums[i][j]); \
		} \
	} \
	UNROLL for (int i = 0; i < T; i++) UNROLL for (int j = 0; j < T; j++) { \
		int at = i0 + y + i * 8, column = o0 + x + j * 8; \
		if (at < in && column < out) c[(long)at * out + column] = sums[i][j]; \
	} \
}
OUTER(outer1, 1, FUSED)
OUTER(outer4, 4, FUSED)
OUTER(rounded_outer1, 1, ROUNDED)

// weight_gradient computes the gradient of a weight [out, in, 3, 3], from first on, from sums [parts, 36, in, out].
KERNEL weight_gradient(__global float *to, __global const float *sums, int first, int in, int out, int parts) {
	int id = get_global_id(0), i = id / out, o = id % out;
	if (i >= in) return;
	float x[36], y[9], mean[9], share = 1.0f / (float)parts;
	UNROLL for (int tap = 0; tap < 9; tap++) mean[tap] = 0.0f;
	for (int part = 0; part < parts; part++) {
		UNROLL for (int p = 0; p < 36; p++) x[p] = sums[((long)part * 36 + p) * in * out + id];
		TRANSFORM(filter_gradient, filter_gradient, 3, 6, 6, 3)
		UNROLL for (int tap = 0; tap < 9; tap++) mean[tap] = mean[tap] + share * y[tap];
	}
	UNROLL for (int tap = 0; tap < 9; tap++) to[first + (o * in + i) * 9 + tap] = mean[tap];
}

// mean computes the mean of sums [parts, n].
KERNEL mean(__global float *to, __global const float *sums, int first, int n, int parts) {
	int id = get_global_id(0);
	if (id >= n) return;
	float y = 0.0f, share = 1.0f / (float)parts;
	for (int part = 0; part < parts; part++) y = y + share * sums[(long)part * n + id];
	to[first + id] = y;
}

// column_sums sums rows [rows, n], from float start on, of each part, [parts, n]. order, ranges and listed are as for
// outer, with one plane. It reads the next rows before it adds the last ones.
#define AHEAD 16
KERNEL column_sums(__global float *sums, __global const float *rows, __global const int *order, __global const int *ranges,
		int start, int n, int parts, int listed) {
	int id = get_global_id(0), part = id / n;
	if (part >= parts) return;
	rows += start + id % n;
	float sum = 0.0f, x[AHEAD], next[AHEAD];
	int row = ranges[part * 2], last = ranges[part * 2 + 1];
#define READ_AHEAD UNROLL for (int k = 0; k < AHEAD; k++) { \
		int at = min(row + k, last - 1); \
		next[k] = row < last ? rows[(long)(listed ? order[at] : at) * n] : 0.0f; \
	}
	READ_AHEAD
	while (row < last) {
		int m = min(AHEAD, last - row);
		UNROLL for (int k = 0; k < AHEAD; k++) x[k] = next[k];
		row += AHEAD;
		READ_AHEAD
		UNROLL for (int k = 0; k < AHEAD; k++) if (k < m) sum = sum + x[k];
	}
	sums[id] = sum;
}

// relu_gradient keeps n gradients of outputs y that are above 0.
KERNEL relu_gradient(__global float *to, __global const float *y, __global const float *gradient, int n) {
	int id = get_global_id(0);
	if (id < n) to[id] = y[id] > 0.0f ? gradient[id] : 0.0f;
}

KERNEL add(__global float *to, __global const float *x, __global const float *y, int n) {
	int id = get_global_id(0);
	if (id < n) to[id] = x[id] + y[id];
}

// pool_gradient computes the gradient of images from that of features [batch, 2, channels]. A maximum's goes to its first
// cell.
KERNEL pool_gradient(__global float *to, __global const float *images, __global const float *features,
		__global const float *gradient, int batch, int channels) {
	int id = get_global_id(0), image = id / channels, channel = id % channels;
	if (image >= batch) return;
	long first = (long)image * CELLS * channels + channel;
	int at = 2 * image * channels + channel;
	float mean = gradient[at] * (1.0f / (float)CELLS), most = features[at + channels];
	bool found = false;
	for (int cell = 0; cell < CELLS; cell++) {
		float v = mean;
		if (!found && images[first + cell * channels] == most) {
			v = v + gradient[at + channels];
			found = true;
		}
		to[first + cell * channels] = v;
	}
}
