/** Items of a header that is a list of tokens, in lower case. */
export const tokensOf = (header: string | null) => (header ?? '').split(',').map((token) => token.trim().toLowerCase())

/**
 * Whether the client asks to switch protocols (RFC 9110 7.8). Only the whole token counts, where the reference takes any that contains it: parsers
 * of HTTP/1.1 hand over the connection for the token alone.
 */
export const isUpgrade = ({ headers }: Request) => tokensOf(headers.get('connection')).includes('upgrade')
