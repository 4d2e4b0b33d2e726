/** One block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`, … */
  readonly label: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The blocks of a PEM text; what stands between them is ignored. Throws an Error on a block that is not base64. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)].map(([, label = '', body = '']) => {
    // Old key files have header lines such as `Proc-Type: 4,ENCRYPTED` before an empty line.
    const base64 = body.replace(/^[\s\S]*?:[\s\S]*?\n\r?\n/, '').replace(/\s+/g, '')
    try {
      return { label, bytes: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) }
    } catch {
      throw new Error(`PEM block ${JSON.stringify(label)} is not valid base64`)
    }
  })
}
