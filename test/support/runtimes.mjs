/**
 * Brings the runtimes that tests run on besides Node. They are hundreds of megabytes, so they are no dependencies: a test run installs
 * them once, and goes on without them, saying so, where the registry can't be reached.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const wanted = { bun: '1.4.5', deno: '2.9.6', workerd: '1.20261117.1' }

/** The version that is installed under a checkout, or undefined. */
function installed(root, name) {
  try {
    return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, root), 'utf8')).version
  } catch {
    return undefined
  }
}

/** Installs what is missing below `root`, a directory's URL. Returns why that failed, or undefined. */
export function bringRuntimes(root) {
  const missing = Object.entries(wanted).filter(([name, version]) => installed(root, name) !== version)
  if (missing.length === 0) return undefined
  const packages = Object.entries(wanted).map(([name, version]) => `${name}@${version}`)
  console.log(`installing ${packages.join(', ')} for the tests`)
  // The binaries lie in packages per platform; install scripts would only copy them.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...packages], { cwd: root, encoding: 'utf8', timeout: 300_000 })
  return status === 0 ? undefined : `no other runtimes to test on: ${stderr.trim().split('\n')[0] ?? 'npm install failed'}`
}
