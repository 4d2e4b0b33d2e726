/** Results of the reference's own functions (release 1.36), for the same inputs. */

/** Hash of a flow, and its hands by size of deck and hand. */
export const hands: readonly {
  readonly schema: string
  readonly flow: string
  readonly hash: string
  readonly hands: { readonly [sizes: string]: readonly number[] }
}[] = [
  {
    flow: 'alice',
    hands: {
      '128/6': [55, 62, 126, 125, 105, 1],
      '16/4': [7, 14, 0, 3],
      '5/5': [0, 4, 2, 3, 1],
      '64/6': [55, 56, 51, 36, 11, 5],
      '8/1': [7],
    },
    hash: '17644606172554983095',
    schema: 'global-default',
  },
  {
    flow: 'bob',
    hands: {
      '128/6': [57, 101, 58, 46, 116, 53],
      '16/4': [9, 12, 2, 7],
      '5/5': [0, 2, 1, 4, 3],
      '64/6': [57, 63, 20, 32, 19, 41],
      '8/1': [1],
    },
    hash: '7836649528101815225',
    schema: 'global-default',
  },
  {
    flow: 'system:serviceaccount:default:ü',
    hands: {
      '128/6': [91, 36, 104, 62, 123, 109],
      '16/4': [11, 12, 6, 8],
      '5/5': [2, 1, 0, 4, 3],
      '64/6': [27, 25, 32, 55, 57, 53],
      '8/1': [3],
    },
    hash: '12548764024795758427',
    schema: 'service-accounts',
  },
  {
    flow: '',
    hands: {
      '128/6': [20, 46, 44, 106, 87, 108],
      '16/4': [4, 13, 8, 12],
      '5/5': [1, 4, 0, 3, 2],
      '64/6': [20, 51, 0, 44, 61, 54],
      '8/1': [4],
    },
    hash: '15577321897059547156',
    schema: 'x',
  },
  {
    flow: 'kube-system',
    hands: {
      '128/6': [86, 35, 11, 43, 100, 44],
      '16/4': [6, 8, 2, 7],
      '5/5': [3, 4, 2, 1, 0],
      '64/6': [22, 31, 15, 32, 10, 1],
      '8/1': [6],
    },
    hash: '6177793432579265878',
    schema: 'kube-scheduler',
  },
  {
    flow: '0123456789012345678901234567890123456789012345678901234567890123456789',
    hands: { '128/6': [94, 62, 67, 44, 22, 58], '16/4': [14, 6, 1, 9], '5/5': [0, 3, 4, 2, 1], '64/6': [30, 5, 7, 59, 1, 16], '8/1': [6] },
    hash: '9503619964367236190',
    schema: 'long',
  },
]

/** Claims are target, lower and upper bound. */
export const allocations: readonly {
  readonly sum: number
  readonly claims: readonly (readonly [number, number, number])[]
  readonly seats: readonly number[]
  readonly fair: number
}[] = [
  {
    claims: [
      [0, 0, 13],
      [0, 0, 30],
    ],
    fair: 12000,
    seats: [12, 12],
    sum: 24,
  },
  {
    claims: [
      [21, 1, 51],
      [22, 0, 42],
      [34, 10, 16],
      [16, 11, 32],
    ],
    fair: 0.7966101694915254,
    seats: [16.728813559322035, 17.52542372881356, 16, 12.745762711864407],
    sum: 63,
  },
  {
    claims: [
      [0, 0, 64],
      [0, 0, 24],
      [0, 0, 45],
      [21, 16, 47],
    ],
    fair: 27499.999999998436,
    seats: [27.499999999998437, 24, 27.499999999998437, 47],
    sum: 126,
  },
  {
    claims: [
      [20, 5, 14],
      [26, 14, 52],
      [0, 0, 31],
    ],
    fair: 19999.999999904503,
    seats: [14, 52, 19.999999999904503],
    sum: 86,
  },
  {
    claims: [
      [29, 6, 63],
      [36, 12, 29],
      [17, 12, 34],
    ],
    fair: 1.9130434782608696,
    seats: [55.47826086956522, 29, 32.52173913043478],
    sum: 117,
  },
  {
    claims: [
      [10, 3, 31],
      [37, 10, 54],
      [0, 0, 51],
      [40, 12, 67],
      [44, 19, 44],
    ],
    fair: 0.6641170678086427,
    seats: [6.641170678086427, 24.572331508919778, 0.0006641170678086427, 26.564682712345707, 29.221150983580277],
    sum: 87,
  },
  { claims: [[20, 4, 33]], fair: 0.6, seats: [12], sum: 12 },
  {
    claims: [
      [21, 6, 22],
      [23, 3, 6],
      [16, 14, 63],
      [30, 14, 47],
    ],
    fair: 1.4782608695652175,
    seats: [22, 6, 23.65217391304348, 44.34782608695652],
    sum: 96,
  },
  {
    claims: [
      [29, 10, 31],
      [0, 0, 61],
    ],
    fair: 23999.99999997067,
    seats: [31, 23.999999999970672],
    sum: 55,
  },
  {
    claims: [
      [24, 15, 22],
      [16, 2, 39],
      [24, 11, 34],
    ],
    fair: 0.734375,
    seats: [17.625, 11.75, 17.625],
    sum: 47,
  },
  {
    claims: [
      [10, 6, 39],
      [23, 6, 20],
      [1, 1, 38],
      [34, 5, 46],
    ],
    fair: 0.8507462686567164,
    seats: [8.507462686567164, 19.567164179104477, 1, 28.92537313432836],
    sum: 58,
  },
  { claims: [[18, 10, 13]], fair: 0.7222222222222222, seats: [13], sum: 13 },
  { claims: [[25, 6, 62]], fair: 0.24, seats: [6], sum: 6 },
  {
    claims: [
      [27, 7, 49],
      [8, 2, 37],
      [25, 17, 75],
      [22, 15, 16],
      [0, 0, 69],
    ],
    fair: 69000,
    seats: [49, 37, 75, 16, 69],
    sum: 246,
  },
]

/** Second, refusals in it, seconds to wait. */
export const refusals: readonly (readonly [second: number, refused: number, wait: number])[] = [
  [1001, 3, 1],
  [1003, 2, 1],
  [1004, 1, 1],
  [1006, 1, 1],
  [1007, 6, 1],
  [1009, 1, 1],
  [1010, 5, 1],
  [1012, 5, 1],
  [1014, 1, 1],
  [1016, 6, 1],
  [1018, 2, 1],
  [1019, 6, 1],
  [1021, 5, 1],
  [1022, 7, 2],
  [1023, 7, 2],
  [1025, 5, 4],
  [1031, 3, 3],
  [1033, 4, 3],
  [1035, 2, 3],
  [1039, 1, 2],
  [1040, 1, 1],
  [1042, 1, 1],
  [1044, 1, 1],
  [1048, 1, 1],
  [1051, 1, 1],
  [1053, 1, 1],
  [1055, 1, 1],
  [1060, 1, 1],
  [1062, 1, 1],
  [1064, 1, 1],
  [1066, 1, 1],
]

/**
 * Verb, query, and the seats: for unknown counts, then for 0 objects, 10 of 1 kB, 3,000 of 2 kB, 20 of 400 kB and 30 of unknown size, each
 * without a maximum and with one of 8; last a list of one name among 3,000 objects of 250 kB.
 */
export const lists: readonly (readonly [verb: string, query: string, seats: readonly number[]])[] = [
  ['list', 'limit=5&resourceVersion=0', [1, 1, 1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 3]],
  ['list', 'limit=5&resourceVersion=7', [1, 1, 1, 1, 1, 1, 1, 1, 20, 8, 75, 8, 3]],
  ['list', 'resourceVersion=7', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['list', 'resourceVersion=7&resourceVersionMatch=Exact', [1, 1, 1, 1, 1, 1, 60, 8, 80, 8, 100, 8, 3]],
  ['list', 'resourceVersion=7&resourceVersionMatch=NotOlderThan', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['list', 'continue=abc&limit=100', [1, 1, 1, 1, 1, 1, 2, 2, 80, 8, 100, 8, 3]],
  ['list', 'continue=abc&limit=100&labelSelector=a%3Db', [1, 1, 1, 1, 1, 1, 30, 8, 80, 8, 100, 8, 3]],
  ['list', 'continue=abc&fieldSelector=spec.nodeName%3Da', [1, 1, 1, 1, 1, 1, 60, 8, 80, 8, 100, 8, 3]],
  ['list', 'resourceVersionMatch=Nope', [1, 1, 1, 1, 1, 1, 60, 8, 80, 8, 100, 8, 3]],
  ['list', 'sendInitialEvents=true&resourceVersion=7', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['list', 'limit=x', [100, 8, 100, 8, 100, 8, 100, 8, 100, 8, 100, 8, 100]],
  ['watch', '', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['watch', 'limit=5', [1, 1, 1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 3]],
  ['watch', 'limit=5&resourceVersion=0', [1, 1, 1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 3]],
  ['watch', 'limit=5&resourceVersion=7', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['watch', 'resourceVersion=7', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['watch', 'resourceVersion=7&resourceVersionMatch=Exact', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['watch', 'resourceVersion=7&resourceVersionMatch=NotOlderThan', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['watch', 'continue=abc&limit=100', [1, 1, 1, 1, 1, 1, 2, 2, 10, 8, 10, 8, 3]],
  ['watch', 'continue=abc&limit=100&labelSelector=a%3Db', [1, 1, 1, 1, 1, 1, 2, 2, 10, 8, 10, 8, 3]],
  ['watch', 'continue=abc&fieldSelector=spec.nodeName%3Da', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['watch', 'resourceVersionMatch=Nope', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['watch', 'sendInitialEvents=true&resourceVersion=7', [1, 1, 1, 1, 1, 1, 10, 8, 10, 8, 10, 8, 3]],
  ['watch', 'limit=x', [100, 8, 100, 8, 100, 8, 100, 8, 100, 8, 100, 8, 100]],
]

/** Watches, maximum of seats (0: none), seats at first and at last, milliseconds. */
export const writes: readonly (readonly [watches: number, most: number, initial: number, final: number, latency: number])[] = [
  [0, 0, 1, 0, 0],
  [0, 1, 1, 0, 0],
  [0, 8, 1, 0, 0],
  [0, 15, 1, 0, 0],
  [9, 0, 1, 0, 0],
  [9, 1, 1, 0, 0],
  [9, 8, 1, 0, 0],
  [9, 15, 1, 0, 0],
  [10, 0, 1, 1, 5],
  [10, 1, 1, 1, 5],
  [10, 8, 1, 1, 5],
  [10, 15, 1, 1, 5],
  [11, 0, 1, 2, 5],
  [11, 1, 1, 1, 10],
  [11, 8, 1, 2, 5],
  [11, 15, 1, 2, 5],
  [25, 0, 1, 3, 5],
  [25, 1, 1, 1, 15],
  [25, 8, 1, 3, 5],
  [25, 15, 1, 3, 5],
  [99, 0, 1, 10, 5],
  [99, 1, 1, 1, 50],
  [99, 8, 1, 8, 6.25],
  [99, 15, 1, 10, 5],
  [100, 0, 1, 10, 5],
  [100, 1, 1, 1, 50],
  [100, 8, 1, 8, 6.25],
  [100, 15, 1, 10, 5],
  [1000, 0, 1, 10, 50],
  [1000, 1, 1, 1, 500],
  [1000, 8, 1, 8, 62.5],
  [1000, 15, 1, 10, 50],
  [5000, 0, 1, 10, 250],
  [5000, 1, 1, 1, 2500],
  [5000, 8, 1, 8, 312.5],
  [5000, 15, 1, 10, 250],
]
