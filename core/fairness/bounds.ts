/** Upper bounds of the buckets in which values are counted, as metrics print them. */

export const queueLengthBounds = [0, 10, 25, 50, 100, 250, 500, 1000]
export const secondsBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
export const watchBounds = [0, 1, 10, 100, 1000, 10_000]
export const estimateBounds = [1, 2, 4, 8, 16, 32, 64, 100]
/** Parts of limits. */
export const seatBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]
export const requestBounds = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1]
export const demandBounds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6]
export const kindBounds = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]
