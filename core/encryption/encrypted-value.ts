/** Prefix of all encrypted values, `k8s:enc:`; the rest of the prefix names the provider and key. */
const start = new TextEncoder().encode('k8s:enc:')

export const isEncrypted = (stored: Uint8Array) => stored.length >= start.length && start.every((byte, index) => stored[index] === byte)

/** Error text for reading an encrypted value without decryption. */
export const readsEncrypted = 'identity transformer tried to read encrypted data'
