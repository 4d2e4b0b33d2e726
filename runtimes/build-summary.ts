import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))

/** What a build of an executable prints at its end: path, size, and the command that starts it with the flags of `npm start`. */
export function buildSummary(executable: string): string {
  const path = `./${relative(process.cwd(), executable)}`
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts: { start: string } }
  const command = scripts.start.replace('node dist/bin/bin.js', path)
  return `${path}: ${Math.round(statSync(executable).size / 2 ** 20)} MiB. Start it:\n  ${command}`
}
