/** Projects with packages of npm that are no dependencies of this one: other releases of clients, compilers, test runners. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface NpmProject {
  readonly directory: string
  /** Why the packages could not be installed, for the reason of a skipped test: there may be no network. */
  readonly failure?: string
}

/** The environment of npm: run.mjs takes the certificate authorities from tests, which start faster without them. */
export const npmEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_TEST_CONTEXT: undefined,
  NODE_EXTRA_CA_CERTS: process.env['APISERVER_TEST_NPM_CA_CERTS'] ?? process.env['NODE_EXTRA_CA_CERTS'],
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
}

/** A project in the temporary directory, because `deno compile` would embed one below the checkout; later runs find it installed. Its packages run no install scripts. */
export function npmProject(name: string, dependencies: Readonly<Record<string, string>>): NpmProject {
  const directory = join(tmpdir(), 'apiserver-npm', name)
  const done = join(directory, 'installed.json')
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies })
  if (existsSync(done) && readFileSync(done, 'utf8') === manifest) return { directory }
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), manifest)
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', args, { cwd: directory, encoding: 'utf8', env: npmEnvironment, timeout: 300_000 })
  if (status !== 0) return { directory, failure: `npm can't install ${name}: ${stderr.trim().split('\n')[0] || 'no answer in time'}` }
  writeFileSync(done, manifest)
  return { directory }
}
