/**
 * Control planes that remember: each is a Durable Object with SQLite, at /clusters/NAME, behind a worker that knows its users. An object starts with
 * the first request, ends when it has none for a while, and wakes up for what expires.
 * Needs: npm install --save-dev tsx esbuild workerd
 * Run it: npx tsx wrangler-free-examples/workerd-run.ts --disk .clusters wrangler-free-examples/durable-object.ts 8080
 * Then: curl --header 'Authorization: Bearer demo' http://127.0.0.1:8080/clusters/team-a/api/v1/namespaces
 * On Cloudflare, wrangler.toml lists the class: durable_objects.bindings = [{ name = "CONTROL_PLANE", class_name = "ControlPlane" }] and, below
 * [[migrations]], new_sqlite_classes = ["ControlPlane"].
 */
import { ApiServerObject, byPath, type DurableObjectNamespace, routeRequest, type TokenUser } from 'fetch-apiserver/edge'

/** Users by bearer token. Real ones come from a secret, a database or JSON web tokens. */
const users: { readonly [token: string]: TokenUser } = { demo: { name: 'ada', groups: ['system:masters'] } }

export class ControlPlane extends ApiServerObject {
  override options() {
    return { authorizationModes: ['RBAC'] } as const
  }
}

export default {
  fetch: (request: Request, { CONTROL_PLANE }: { CONTROL_PLANE: DurableObjectNamespace }): Promise<Response> =>
    routeRequest(request, {
      namespace: CONTROL_PLANE,
      route: byPath('/clusters/'),
      authenticate: ({ headers }) => users[headers.get('authorization')?.replace('Bearer ', '') ?? ''],
    }),
}
