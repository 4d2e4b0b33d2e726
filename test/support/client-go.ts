/** A program that uses client-go, for servers that others serve too. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { programOnPath } from '../../runtimes/on-path.ts'
import { root } from './root.ts'

/** The Go module or workspace that the program is built in: it has client-go, such as a checkout of kubernetes. */
const module = process.env['CLIENT_GO_MODULE']
const go = programOnPath('go')

/** Why the program can't be built; false: it can. */
export const withoutClientGo: string | false =
  go === undefined
    ? 'no Go'
    : (module === undefined || !existsSync(module)) && 'CLIENT_GO_MODULE does not name a Go module that has client-go'

/** Builds the program into a directory; its arguments are the kubeconfig files of the server to use, and of another one. */
export function buildClientGo(directory: string): string {
  const program = join(directory, 'client-go')
  const source = join(root, 'test/support/client-go/main.go')
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=vendor', CGO_ENABLED: '0' }
  const { status, stderr } = spawnSync(go as string, ['build', '-o', program, source], { cwd: module, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`go build: ${stderr}`)
  return program
}
