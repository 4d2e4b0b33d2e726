/** `npm run bundle [-- directory]`: the daemon as `bin.js` in a directory, by default `dist/bin`, stamped with its commit and date. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildStamp } from '../stamp.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [, , outdir = 'dist/bin'] = process.argv

await build({
  absWorkingDir: root,
  entryPoints: ['runtimes/node/bin.ts'],
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
  define: { buildStamp: JSON.stringify(buildStamp(root)) },
})
