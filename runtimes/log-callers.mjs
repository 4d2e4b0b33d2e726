/** Log calls that know their place: a bundle has no files and lines any more. */

const call = /\blogger(\?)?\.(?=(?:debug|info|warn|error|v)(?:\?\.)?\()/g

/** The text of a file; in sources each log call names its folder, file and line: `logger.at("filters/recover.ts:46").error(…`. */
export function placeLogCalls(text, path) {
  if (!path.endsWith('.ts')) return text
  const file = path.split(/[\\/]/).slice(-2).join('/')
  let [line, last] = [1, 0]
  return text.replace(call, (_call, optional, at) => {
    for (; last < at; last++) if (text[last] === '\n') line++
    return `logger${optional ?? ''}.at(${JSON.stringify(`${file}:${line}`)}).`
  })
}
