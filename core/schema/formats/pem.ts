/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, … */
  readonly label: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The blocks of a PEM text; text between them is ignored. Throws an Error on a block that is not base64. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)].map(([, label = '', body = '']) => {
    const base64 = withoutHeaders(body).replace(/\s+/g, '')
    try {
      return { label, bytes: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) }
    } catch {
      throw new Error(`PEM block ${JSON.stringify(label)} is not valid base64`)
    }
  })
}

/** Drops header lines such as `Proc-Type: 4,ENCRYPTED`, which end at an empty line, from the body of an old key file. */
function withoutHeaders(body: string): string {
  const end = body.includes(':') ? /\n\r?\n/.exec(body) : null
  return end === null ? body : body.slice(end.index + end[0].length)
}

/** Writes a PEM block with lines of 64 characters and a final line feed. */
export function writePem(label: string, bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return `-----BEGIN ${label}-----\n${btoa(binary).replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`
}
