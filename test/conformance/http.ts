/** HTTP behaviour of every server of this API, in-process or over a socket; the messages are those of kube-apiserver. */
import { badInput } from './http-bad-input.ts'
import { deletion } from './http-deletion.ts'
import { formats } from './http-formats.ts'
import { lists } from './http-lists.ts'
import { patches } from './http-patches.ts'
import { subresources } from './http-subresources.ts'
import { describeHttp, type Limits, type On, type Open } from './http-suite.ts'
import { writes } from './http-writes.ts'

export type { Open, OpenServer, ServerChoices } from './http-suite.ts'

/** `open` starts an empty server; two are open at a time. */
export function httpConformance(name: string, open: Open, limits: Limits = {}): void {
  const parts = {
    writes,
    patches,
    deletion,
    subresources,
    lists: (on: On) => lists(on, open),
    formats,
    'bad input': badInput,
  }
  describeHttp(name, open, parts, limits)
}
