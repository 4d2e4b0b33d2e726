/** A fixed path that OpenAPI publishes. */
export interface PublishedPath {
  /** Operation id. */
  readonly id: string
  readonly tag: string
  readonly description: string
  /** Media type of the response. */
  readonly type: string
  respond(): Response | Promise<Response>
}

export interface PublishedPaths {
  readonly [path: string]: PublishedPath
}
