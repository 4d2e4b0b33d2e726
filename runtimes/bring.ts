/**
 * Installs the binaries of other runtimes from npm. They are hundreds of megabytes, so they are not dependencies: builds and tests install
 * them on first use.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { installed, type RuntimeName } from './locate.ts'

/** The npm package of each runtime, and the version that is tested. */
const packages: { readonly [name in RuntimeName]: { readonly package: string; readonly version: string } } = {
  bun: { package: 'bun', version: '1.4.5' },
  deno: { package: 'deno', version: '2.9.6' },
  workerd: { package: 'workerd', version: '1.20261117.1' },
  node24: { package: `node-${process.platform}-${process.arch}`, version: '24.9.0' },
}

function isInstalled({ package: name, version }: (typeof packages)[RuntimeName]): boolean {
  const path = installed(`${name}/package.json`)
  if (path === undefined) return false
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  return manifest.version.replace(/^v/, '') === version
}

/**
 * Installs missing runtimes below `root`, the path of a checkout, and prints what it does. Returns the reason of a failure, or undefined.
 * The command lists installed runtimes too, because npm removes packages that it does not list.
 */
export function bringRuntimes(root: string, names: readonly RuntimeName[]): string | undefined {
  const missing = names.filter((name) => !isInstalled(packages[name]))
  if (missing.length === 0) return undefined
  const kept = (Object.keys(packages) as RuntimeName[]).filter((name) => isInstalled(packages[name]))
  const specifiers = [...missing, ...kept].map((name) => `${packages[name].package}@${packages[name].version}`)
  console.log(`installing ${missing.map((name) => `${name} ${packages[name].version}`).join(', ')} (once)`)
  // The binaries are in packages per platform; install scripts would only copy them, and a link to Node 24 would shadow the running Node.
  const options = ['--no-save', '--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...specifiers], { cwd: root, encoding: 'utf8', timeout: 300_000 })
  return status === 0 ? undefined : `${missing.join(', ')} can't be installed: ${stderr.trim().split('\n')[0] || 'npm install failed'}`
}
