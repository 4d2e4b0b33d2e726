/** Builds that are skipped when the same sources were built before. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Digest of all that builds read. */
function sourcesDigest(salt) {
  const hash = createHash('sha256').update(`${process.version} ${salt}`)
  const files = ['core', 'runtimes'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  )
  const configuration = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
  for (const path of [...files.filter((name) => /\.m?[jt]s$/.test(name)), ...configuration].sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/**
 * Prints what is built and calls `build`, unless `output` (a file or directory) is what an earlier call has built from the same sources and with
 * the same `salt`. The file `digest` tells; it is written when the build is complete.
 */
export async function buildOnce({ what, output, digest, salt = '' }, build) {
  const sources = sourcesDigest(salt)
  if (existsSync(output) && existsSync(digest) && readFileSync(digest, 'utf8') === sources) return
  console.error(`building ${what} into ${relative(process.cwd(), output) || '.'}`)
  rmSync(digest, { force: true })
  await build()
  mkdirSync(dirname(digest), { recursive: true })
  writeFileSync(digest, sources)
}
