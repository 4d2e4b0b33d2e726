/** A server that the finder sends its inputs to. */

import assert from 'node:assert/strict'
import { defaultAdmissionPlugins } from '../../core/admission/plugins/index.ts'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import type { ResourceDefinition } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { allKinds } from '../support/all-kinds.ts'
import { startInProcess } from '../support/in-process.ts'

/** Characters of an answer that refuses, at most. */
const maxRefusal = 512 * 1024

export interface Bench {
  /** Every kind that is stored. */
  readonly definitions: readonly ResourceDefinition[]
  /** Every kind that is answered at once, such as reviews. */
  readonly reviews: readonly ResourceDefinition[]
  /** Sends a request and reads its answer, which is of bounded size when it refuses, and no failure of the server. */
  send(
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers?: { [name: string]: string },
  ): Promise<{ status: number; text: string }>
  close(): Promise<void>
}

export async function openBench(plugins = false): Promise<Bench> {
  const platform = createPlatform()
  const { fetch, close } = await startInProcess({
    controllers: [],
    ...allKinds,
    admissionPlugins: { disable: plugins ? ['ServiceAccount'] : defaultAdmissionPlugins },
  })
  const bound = builtInResources.map((definition) => bind(definition, platform))
  return {
    definitions: bound.filter(({ storageKey }) => storageKey !== ''),
    reviews: bound.filter(({ storageKey, namespaced, kind }) => storageKey === '' && !namespaced && kind.endsWith('Review')),
    async send(method, path, body, headers) {
      const init = {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      }
      const response = await fetch(path, init)
      const text = await response.text()
      // The reference server answers 500 to an apply with fields that the schema does not know or to one whose
      // result does not fit, and to items in another order than the patch names.
      const isKnown =
        response.status === 504 ||
        /failed to create typed patch object|unable to convert unstructured object|doesn't match \$setElementOrder list/.test(text)
      assert.ok(response.status < 500 || isKnown, `${response.status}: ${text.slice(0, 300)}`)
      assert.ok(response.status < 300 || text.length < maxRefusal, `${text.length} characters`)
      return { status: response.status, text }
    },
    close,
  }
}
