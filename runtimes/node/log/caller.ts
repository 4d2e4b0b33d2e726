/** Where a log call is, when the build has not written it into the call (log-callers.mjs): in tests, and where sources run as they are. */

/** Folder, file and line of the first caller outside of this folder, such as `filters/recover.ts:46`. */
export function callerOfStack(): string {
  const lines = (new Error().stack ?? '').split('\n').slice(1)
  for (const line of lines) {
    // `at name (file:///folder/file.ts:46:12)`
    const [file, number, column] = line.replace(')', '').split(':').slice(-3)
    if (column === undefined || line.includes('/node/log/')) continue
    return `${file!.split(/[\\/]/).slice(-2).join('/')}:${number}`
  }
  return '???:1'
}
