import { digestOf } from '../authn/digest.ts'

/** A text as the labels of this API's metrics say it: its SHA-256; empty for an empty text. */
export async function hashOf(text: string): Promise<string> {
  return text === '' ? '' : `sha256:${await digestOf(text)}`
}
