import { atomicList, bool, field, map, message, string } from '../../schema/model.ts'
import { object } from '../meta/object.ts'

export const ImageReviewContainerSpec = message('ImageReviewContainerSpec', 'A container whose image is checked.', () => ({
  image: field(1, string, 'Its image.'),
}))

export const ImageReviewSpec = message('ImageReviewSpec', 'The pod whose images are checked.', () => ({
  containers: field(1, atomicList(ImageReviewContainerSpec), 'Its containers.'),
  annotations: field(2, map(string), 'Annotations of the pod that are meant for the webhook.'),
  namespace: field(3, string, 'Namespace of the pod.'),
}))

export const ImageReviewStatus = message('ImageReviewStatus', 'The answer of the webhook.', () => ({
  allowed: field(1, bool, 'All images may run.', { omitEmpty: false }),
  reason: field(2, string, 'Why not.'),
  auditAnnotations: field(3, map(string), 'Annotations for the audit event.'),
}))

export const ImageReview = object('ImageReview', 'Review by a webhook whether the images of a pod may run.', () => ({
  spec: field(2, ImageReviewSpec, 'The pod.', { omitEmpty: false }),
  status: field(3, ImageReviewStatus, 'The answer.'),
}))
