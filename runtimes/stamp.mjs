/** Commit and date of a build: from git, or from the environment for sources without a repository. */
import { spawnSync } from 'node:child_process'

/** @param {string} root @param {readonly string[]} args */
function git(root, ...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * SOURCE_COMMIT and SOURCE_DATE_EPOCH (seconds since the epoch, reproducible-builds.org) win.
 * @param {string} root
 */
export function buildStamp(root) {
  const { SOURCE_COMMIT: commit, SOURCE_DATE_EPOCH: epoch } = process.env
  const date = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)
  return {
    gitCommit: commit ?? git(root, 'rev-parse', 'HEAD') ?? '',
    gitTreeState: commit === undefined && git(root, 'status', '--porcelain') !== '' ? 'dirty' : 'clean',
    buildDate: date.toISOString().replace(/\.\d+/, ''),
  }
}
