/** gRPC status codes (google.rpc.Code). */
export const unknown = 2
export const deadlineExceeded = 4
export const resourceExhausted = 8
export const internal = 13
export const unavailable = 14
export const dataLoss = 15
