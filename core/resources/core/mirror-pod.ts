import type { Platform } from '../../platform.ts'

const annotation = '<labels>/config.mirror'

/** Whether annotations are those of a mirror pod, which represents a static pod of a node. */
export const isMirrorPod = (annotations: { readonly [name: string]: string } | undefined, platform: Platform): boolean =>
  annotations?.[platform.name(annotation)] !== undefined
