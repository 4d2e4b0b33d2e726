/** `apiserver top`: what a running server does, in a terminal. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { LiveReading } from '../../../core/meta/debug/live.ts'
import { cleanUrl, type WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { loadConnectionFile } from '../../../core/outgoing/webhook/connection-file.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { reasonOf } from '../../atomic-file.ts'
import { usualConnectionFile } from '../start/ask.ts'
import { nodeClock, nodeFiles } from '../start/ports.ts'
import { readings } from './readings.ts'
import { liveText } from './text.ts'

const options = {
  kubeconfig: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  'certificate-authority': { type: 'string' },
  'insecure-skip-tls-verify': { type: 'boolean' },
  once: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof flagsOf>

function flagsOf(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values
  } catch (error) {
    const [first = ''] = messageOf(error).split('. ')
    throw new Error(`${first}; see top --help`)
  }
}

/** The connection file, when one is given or there is one at the usual place. */
function connectionPath({ kubeconfig, server }: Flags): string | undefined {
  if (kubeconfig !== undefined) return kubeconfig
  const usual = usualConnectionFile()
  if (server === undefined && !existsSync(usual)) throw new Error(`no server: give --kubeconfig or --server (${usual} does not exist)`)
  return server === undefined ? usual : undefined
}

async function connectionOf(flags: Flags): Promise<WebhookConnection> {
  const { server, token, 'certificate-authority': authority, 'insecure-skip-tls-verify': insecure } = flags
  const path = connectionPath(flags)
  const given = path === undefined ? undefined : await loadConnectionFile(resolve(path), { files: nodeFiles, clock: nodeClock })
  if (server !== undefined && !/^https?:\/\/[^/]/.test(server)) throw new Error(`--server: ${JSON.stringify(server)} is not an http(s) URL`)
  const { clientCertificate, certificateAuthority, ...others } = given?.options ?? {}
  const trusted = authority === undefined ? certificateAuthority : readAuthority(authority)
  return {
    url: server === undefined ? (given?.url ?? '') : cleanUrl(server),
    options: {
      ...others,
      ...(trusted !== undefined && { certificateAuthority: trusted }),
      ...(token === undefined && clientCertificate && { clientCertificate }),
      ...(insecure && { insecure }),
    },
    ...(token !== undefined
      ? { authorization: async () => `Bearer ${token}` }
      : given?.authorization && { authorization: given.authorization }),
  }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`--certificate-authority: ${path}: ${reasonOf(error)}`)
  }
}

/** Writes over what the terminal shows, without flicker. */
const redraw = (text: string) => `\x1b[H${text.replaceAll('\n', '\x1b[K\n')}\x1b[K\x1b[J`

/** Runs the command with its arguments. Resolves when it has printed what is to be printed once; rejects with a one-line error. */
export const top = (argv: readonly string[], output: NodeJS.WriteStream): Promise<void> =>
  show(argv, output).catch((error: unknown) => {
    throw new Error(`top: ${messageOf(error)}`)
  })

async function show(argv: readonly string[], output: NodeJS.WriteStream): Promise<void> {
  const flags = flagsOf(argv)
  const connection = await connectionOf(flags)
  const live = output.isTTY && !flags.once
  let before: LiveReading | undefined
  for await (const reading of readings(connection)) {
    // Rates need two readings.
    const last = before
    before = reading
    if (last === undefined) continue
    if (!live) {
      output.write(`${liveText(reading, last, { columns: 100 })}\n`)
      return
    }
    output.write(redraw(liveText(reading, last, { columns: output.columns, rows: output.rows })))
  }
  throw new Error(`${connection.url}: the server ended the stream`)
}
