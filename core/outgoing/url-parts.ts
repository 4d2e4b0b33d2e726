/** Host of a URL, an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** Port of a URL, or the default port of its scheme. */
export const portOf = ({ protocol, port }: URL) => port || (protocol === 'https:' ? '443' : '80')

/** `HOST:PORT`, with brackets around IPv6 addresses. */
export const hostPort = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** `HOST:PORT` of a URL. */
export const addressOf = (url: URL) => `${url.hostname}:${portOf(url)}`
