import { GlobalRequest } from './request.ts'
import { LightResponse } from './response.ts'

/**
 * Makes `Response` and `Request` of this process the light ones, which keep the semantics of the built-in ones.
 * A server makes a Response per request, and the built-in class (undici) alone costs more than the rest of a small answer.
 */
export function installLightClasses(): void {
  if (globalThis.Response === LightResponse) return
  for (const [name, value] of Object.entries({ Response: LightResponse, Request: GlobalRequest })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
}
