/** What all encrypted values in the store start with: `k8s:enc:`; the rest of the prefix says how and with which key. */
const start = new TextEncoder().encode('k8s:enc:')

export const isEncrypted = (stored: Uint8Array) => stored.length >= start.length && start.every((byte, index) => stored[index] === byte)

/** The text of an attempt to use an encrypted value as it is. */
export const readsEncrypted = 'identity transformer tried to read encrypted data'
