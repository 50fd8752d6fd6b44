# The program in an image that has nothing else: no shell, no C library.
#
#   docker build -t vedette:devel .
#
# .git has to be in what is sent to the builder, and all that is tracked: the program
# takes its version from there.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.work go.work.sum go.mod go.sum ./
COPY cmd/vedette/go.mod cmd/vedette/go.sum cmd/vedette/
COPY examples/go.mod examples/go.sum examples/
COPY platform/go.mod platform/go.sum platform/
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN go build -trimpath -ldflags "-s -w" -o /vedette ./cmd/vedette

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /vedette /vedette
USER 65532:65532
ENTRYPOINT ["/vedette"]
