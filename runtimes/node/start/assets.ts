/** `apiserver assets DIR`: the folder that KUBEBUILDER_ASSETS names, with this program in place of kube-apiserver and etcd. */
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FlagError } from '../../../core/flags/flag.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { makeDirectories, reasonOf } from '../../atomic-file.ts'
import { programOnPath } from '../../on-path.ts'

const usage = 'use: assets DIR [--release 1.34]'
/** First lines of a script that is made here, and may be replaced. */
const scriptHead = '#!/bin/sh\n# Made by apiserver assets.\n'

/** The file that starts this program: the script that Node runs, or the executable. */
function programPath(): string {
  const [executable, script = ''] = process.argv
  return realpathSync(existsSync(script) ? script : (executable ?? process.execPath))
}

function argumentsOf(argv: readonly string[]): { readonly directory: string; readonly release: string | undefined } {
  const [directory, ...rest] = argv.filter((argument) => argument !== '--release').map((argument) => argument.replace(/^--release=/, ''))
  const [release] = rest
  const isGiven = argv.some((argument) => argument.startsWith('--release'))
  if (directory === undefined || directory.startsWith('-') || rest.length > 1 || isGiven !== (release !== undefined))
    throw new FlagError(usage)
  return { directory: resolve(directory), release }
}

/** Removes a link or a script that was made here before. @throws FlagError for any other file. */
function removeOwn(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const isOurs = found.isSymbolicLink() || (found.isFile() && found.size < 4096 && readFileSync(path, 'utf8').startsWith(scriptHead))
  if (!isOurs) throw new FlagError(`assets: ${path} exists already`)
  rmSync(path)
}

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`

/** Makes the folder; returns what to tell the user. Throws a one-line error. */
export function assets(argv: readonly string[]): string {
  const { directory, release } = argumentsOf(argv)
  const program = programPath()
  const emulated = release === undefined ? [] : [`--emulated-version=${release}`]
  // It is validated here rather than by each start.
  parseFlags(['--platform=kubernetes', ...emulated], 'kube-apiserver')
  try {
    makeDirectories(directory)
    const [server, etcd, kubectl] = ['kube-apiserver', 'etcd', 'kubectl'].map((name) => join(directory, name)) as [string, string, string]
    for (const path of [server, etcd]) removeOwn(path)
    symlinkSync(program, etcd)
    if (release === undefined) symlinkSync(program, server)
    else writeFileSync(server, `${scriptHead}exec ${quoted(program)} --platform=kubernetes ${emulated.join(' ')} "$@"\n`, { mode: 0o755 })
    const found = existsSync(kubectl) ? kubectl : programOnPath('kubectl')
    if (found !== undefined && found !== kubectl) symlinkSync(found, kubectl)
    const missing = found === undefined ? '; there is no kubectl on this host: what asks for one fails' : ''
    return `export KUBEBUILDER_ASSETS=${quoted(directory)}\n# kube-apiserver${release === undefined ? '' : ` ${release}`} and etcd are ${program}${missing}`
  } catch (error) {
    throw error instanceof FlagError ? error : new FlagError(`assets: ${reasonOf(error)}`)
  }
}
