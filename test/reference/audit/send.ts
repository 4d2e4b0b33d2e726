import { admin, type Step, steps } from './requests.ts'

/** Milliseconds in which a server must know what it has been told. */
const timeout = 30_000

export function requestOf({ name, method = 'GET', path, body, headers, token = admin }: Step, url: string): Request {
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request(`${url}${path}`, {
    method,
    headers: {
      'audit-id': name,
      'user-agent': 'kubectl/v1.36.2',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
}

/** Sends all requests. `linesOf` returns the events of a request once its last one is there. */
export async function sendAll(
  url: string,
  fetch: (request: Request) => Promise<Response>,
  linesOf: (name: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const all: string[] = []
  for (const step of steps) {
    const end = performance.now() + timeout
    for (let attempt = 0; ; attempt++) {
      const name = attempt === 0 ? step.name : `${step.name}/${attempt}`
      await (await fetch(requestOf({ ...step, name }, url))).text()
      const lines = await linesOf(name)
      if (step.until === undefined || lines.at(-1)?.includes(step.until) || performance.now() > end) {
        all.push(...lines.map((line) => line.replace(`"auditID":"${name}"`, `"auditID":"${step.name}"`)))
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return all
}
