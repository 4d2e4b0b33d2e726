/**
 * `npm run build:deno [-- target file]`: one executable by `deno compile`, by default `build/apiserver-deno`. It contains Deno's
 * runtime for executables (denort), which deno downloads unless the variable DENORT_BIN contains its path.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutable, root } from '../build-executable.ts'

const [, , target = `${root}build/apiserver-deno`] = process.argv

/** Installed packages that only builds and tests need, by path. Deno would embed all of `node_modules`, other runtimes included. */
function developmentPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    readonly packages: { readonly [path: string]: { readonly dev?: boolean } }
  }
  const modules = realpathSync(`${root}node_modules`)
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
  )
  // Packages that `npm install --no-save` added, such as Bun, have no entry; only development dependencies have `dev`.
  const isNeeded = (name: string) => packages[`node_modules/${name}`] !== undefined && !packages[`node_modules/${name}`]?.dev
  return names.filter((name) => !isNeeded(name)).map((name) => join(modules, name))
}

function compile(deno: string): void {
  const excluded = developmentPackages().flatMap((path) => ['--exclude', path])
  const options = ['--allow-all', '--no-check', ...excluded, '--output', target]
  const { status, stderr } = spawnSync(deno, ['compile', ...options, 'runtimes/deno/bin.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status === 0) return
  const hint = process.env['DENORT_BIN'] ? '' : '; or set DENORT_BIN to the path of a denort binary of the same version'
  // Deno's error names only the step; its cause names the reason.
  const reason = /^ +1: (.*)$/m.exec(stderr)?.[1] ?? /^error: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim()
  throw new Error(`deno compile: ${reason}${hint}`)
}

await buildExecutable('deno', target, compile, process.env['DENORT_BIN'])
