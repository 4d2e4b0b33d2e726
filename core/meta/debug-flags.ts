import { Reply } from '../answers/reply.ts'
import { readBody } from '../request/body.ts'
import type { FixedRequest } from './fixed-request.ts'

/** Longer values than any number have. */
const maxValueLength = 1024
const [maxUnsigned, maxSigned] = [2 ** 32 - 1, 2 ** 31 - 1]

const answer = (status: number, text: string) =>
  new Reply(`${text}\n`, { status, headers: { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' } })

const index = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`

/** The number, or why it is none, in the words of Go's strconv, which clients of the reference get. */
function verbosityOf(text: string): number | string {
  const shown = JSON.stringify(text)
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${shown}: invalid syntax`
  const level = Number(text)
  if (level > maxUnsigned) return `strconv.ParseUint: parsing ${shown}: value out of range`
  return level > maxSigned ? `failed set klog.logging.verbosity ${text}: strconv.ParseInt: parsing ${shown}: value out of range` : level
}

/** `/debug/flags`: a page, and `/debug/flags/v`, where PUT sets the verbosity of the log. */
export function createDebugFlags(setVerbosity: (level: number) => void): (request: FixedRequest) => Response | Promise<Response> {
  return async ({ path, request }) => {
    if (path !== '/debug/flags/v') return new Reply(index, { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    if (request.method !== 'PUT') return answer(406, 'unsupported http method')
    const level = verbosityOf(new TextDecoder().decode(await readBody(request, maxValueLength)))
    if (typeof level === 'string') return answer(400, level)
    setVerbosity(level)
    return answer(200, `successfully set klog.logging.verbosity to ${level}`)
  }
}
