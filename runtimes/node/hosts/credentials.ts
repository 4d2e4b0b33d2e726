/** The token of the interface, and the authority of the serving certificate. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FlagError } from '../../../core/flags/flag.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { reasonOf, writeAtomically } from '../../atomic-file.ts'
import { issueAuthority, newKey, type Pair } from '../pki/issue.ts'

/** The token in a file, which is made when it does not exist, with mode 0600. @throws FlagError. */
export function tokenIn(path: string): string {
  try {
    if (!existsSync(path)) writeAtomically(path, `${randomBytes(32).toString('base64url')}\n`, 0o600)
    const token = readFileSync(path, 'utf8').trim()
    if (!/^[\w.~+/-]{16,}=*$/.test(token)) throw new Error('must have one token of at least 16 letters, digits and -._~+/')
    return token
  } catch (error) {
    throw new FlagError(`--token-file: ${path}: ${reasonOf(error)}`)
  }
}

/** The authority that a directory keeps; without one, a new one. */
export function authorityIn(directory: string | undefined, now: number): Pair {
  const files = directory === undefined ? undefined : { cert: join(directory, 'ca.crt'), key: join(directory, 'ca.key') }
  if (files && existsSync(files.cert)) return { certPem: readFileSync(files.cert, 'utf8'), keyPem: readFileSync(files.key, 'utf8') }
  const made = issueAuthority('apiserver hosts authority', newKey(), now)
  if (files) {
    // The certificate last: with it, both are there.
    writeAtomically(files.key, made.keyPem, 0o600)
    writeAtomically(files.cert, made.certPem, 0o644)
  }
  return made
}

/** Writes the authority's certificate for clients. @throws FlagError. */
export function publishAuthority(path: string, { certPem }: Pair): void {
  try {
    writeAtomically(path, certPem, 0o644)
  } catch (error) {
    throw new FlagError(`--ca-file: ${messageOf(error)}`)
  }
}
