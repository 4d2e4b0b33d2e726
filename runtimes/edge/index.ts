/** The entry point `fetch-apiserver/edge`: control planes as Durable Objects, and the worker in front of them. */
export type { TokenUser } from '../../core/options/authentication.ts'
export type { ServerOptions } from '../../core/server.ts'
export { ApiServerObject, type DurableObjectContext } from './durable-object.ts'
export { RequestClock } from './request-clock.ts'
export { byHost, byPath, type DurableObjectNamespace, type Route, type Routed, type RouterOptions, routeRequest } from './router.ts'
