/** `npm run bundle`: the daemon as `dist/bin/bin.js`, stamped with its commit and date. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildStamp } from '../stamp.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

await build({
  absWorkingDir: root,
  entryPoints: ['runtimes/node/bin.ts'],
  outdir: 'dist/bin',
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
