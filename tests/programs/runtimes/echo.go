// Answers lines; with a word, copies a file as a move would, or takes more than it may.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	if len(os.Args) == 1 {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Println("ok " + lines.Text())
		}
		return
	}
	switch os.Args[1] {
	case "copy":
		text, _ := os.ReadFile(os.Args[2])
		os.WriteFile(os.Args[3], append([]byte("ok "), text...), 0o600)
	case "loop":
		for {
		}
	case "memory":
		kept := [][]byte{}
		for {
			block := make([]byte, 1<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			kept = append(kept, block)
		}
	case "threads":
		for {
			go func() {
				runtime.LockOSThread()
				time.Sleep(time.Minute)
			}()
			runtime.Gosched()
		}
	}
}
