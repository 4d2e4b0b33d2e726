import { followFile } from '../../config/follow-file.ts'
import type { HostPorts } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import { parseCsv } from '../../schema/go/csv-text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { TokenAuthenticator } from './authenticator.ts'
import { tokenTable } from './token-table.ts'

interface TokenFile {
  readonly authenticator: TokenAuthenticator
  /** Problems that an operator should know, such as duplicate tokens. */
  readonly warnings: readonly string[]
}

/**
 * Static tokens (`--token-auth-file`), one per line: `token,user name,user uid,"group1,group2"`; groups are optional. The last line of
 * a duplicate token wins. Throws an Error that names every malformed line. `fileName` is for messages.
 */
export async function createTokenFile(text: string, fileName: string): Promise<TokenFile> {
  const { users, warnings } = readTokenFile(text, fileName)
  return { authenticator: await tokenTable('token-file', users), warnings }
}

/**
 * The same, from a file that is read again when it changes. `text`: what the caller has read. Rejects with an Error that names every malformed
 * line; later ones are logged. `close` ends the following.
 */
export async function followTokenFile(
  path: string,
  text: string,
  { files, telemetry: { logger } }: Pick<HostPorts, 'files' | 'telemetry'>,
): Promise<{ readonly authenticator: TokenAuthenticator; close(): void }> {
  const load = async (from: string) => {
    const { authenticator, warnings } = await createTokenFile(from, path)
    for (const warning of warnings) logger.warn({}, warning)
    return authenticator
  }
  let current = await load(text)
  const use = (changed: TokenAuthenticator) => {
    current = changed
  }
  return {
    authenticator: {
      name: current.name,
      authenticateToken: (token, audiences, context) => current.authenticateToken(token, audiences, context),
    },
    close: followFile({ path, files, logger, what: 'token file', text, load, use }),
  }
}

function readTokenFile(text: string, fileName: string): { users: Map<string, User>; warnings: string[] } {
  const users = new Map<string, User>()
  const warnings: string[] = []
  const problems: string[] = []
  for (const { line, fields } of records(text, fileName)) {
    const [token, name, uid, groups = ''] = fields
    if (token === undefined || name === undefined || uid === undefined) {
      problems.push(`line ${line}: must have at least 3 columns (token, user name, user uid), found ${fields.length}`)
      continue
    }
    if (token === '') {
      warnings.push(`token file ${fileName}: line ${line}: empty token, ignored`)
      continue
    }
    if (users.has(token)) warnings.push(`token file ${fileName}: line ${line}: duplicate token, replaces the earlier one`)
    users.set(token, { name, uid, groups: groups.split(',').filter((group) => group !== '') })
  }
  if (problems.length > 0) throw new Error(`token file ${fileName}: ${problems.join('; ')}`)
  return { users, warnings }
}

function records(text: string, fileName: string) {
  try {
    return parseCsv(text)
  } catch (error) {
    throw new Error(`token file ${fileName}: ${messageOf(error)}`)
  }
}
